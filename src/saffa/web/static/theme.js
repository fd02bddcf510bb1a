// Light or dark: as the system says, or as the person chose.

const KEY = "saffa.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export class Theme extends EventTarget {
  constructor(button) {
    super();
    this.#show(localStorage.getItem(KEY));
    dark.addEventListener("change", () => this.dispatchEvent(new Event("change")));
    button.addEventListener("click", () => {
      const now = document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
      const next = now === "dark" ? "light" : "dark";
      localStorage.setItem(KEY, next);
      this.#show(next);
      this.dispatchEvent(new Event("change"));
    });
  }

  #show(choice) {
    if (choice === "dark" || choice === "light") document.documentElement.dataset.theme = choice;
  }
}
