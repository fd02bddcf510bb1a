// The server's API: requests that end in data or in a sentence for people, and its events.

const ROOT = "/api/v1/";

export class ServerError extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.allowed = error.allowed ?? null;
    this.received = error.received ?? null;
  }
}

/** One request; the answer as JSON (null if it is empty), or a ServerError. */
export async function ask(method, path, body = undefined, options = {}) {
  const raw = body instanceof Blob;
  const headers = body === undefined ? {} : { "Content-Type": raw ? "application/octet-stream" : "application/json" };
  let answer;
  try {
    answer = await fetch(ROOT + path, {
      method,
      headers,
      body: body === undefined || raw ? body : JSON.stringify(body),
      credentials: "same-origin",
      signal: options.signal,
      keepalive: options.keepalive ?? false,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, { message: "saffa does not answer. Is it still running in your terminal?" });
  }
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => ({}));
  if (answer.ok) return data;
  throw new ServerError(answer.status, data.error ?? { message: sayStatus(answer.status) });
}

function sayStatus(status) {
  if (status === 401) return "This page is no longer signed in. Open the address that `saffa serve` printed.";
  if (status === 413) return "That is larger than this server accepts.";
  return `The server answered with an error (${status}). Try again; its terminal says more.`;
}

export const get = (path, options) => ask("GET", path, undefined, options);
export const post = (path, body = {}, options = {}) => ask("POST", path, body, options);
export const patch = (path, body, options = {}) => ask("PATCH", path, body, options);
export const remove = (path) => ask("DELETE", path);
export const url = (path) => ROOT + path;

/** Listen to server-sent events: `handlers` by event name, plus `open` and `lost`. Returns a function that stops it. */
export function listen(path, handlers) {
  const source = new EventSource(ROOT + path);
  for (const [name, handle] of Object.entries(handlers)) {
    if (name === "open") source.addEventListener("open", handle);
    else if (name === "lost") source.addEventListener("error", handle);
    else source.addEventListener(name, (event) => handle(event.data ? JSON.parse(event.data) : null));
  }
  return () => source.close();
}

/** Asks for plans: one at a time, and of those that wait only the newest. */
export class Latest {
  constructor(work, done, failed) {
    this.work = work;
    this.done = done;
    this.failed = failed;
    this.running = false;
    this.waiting = null;
  }

  ask(value) {
    this.waiting = { value };
    if (!this.running) this.#run();
  }

  async #run() {
    this.running = true;
    while (this.waiting) {
      const { value } = this.waiting;
      this.waiting = null;
      try {
        this.done(await this.work(value), value);
      } catch (error) {
        if (!this.waiting) this.failed(error, value);
      }
    }
    this.running = false;
  }
}
