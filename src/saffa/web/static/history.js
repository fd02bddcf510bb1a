// Undo and redo over immutable values. Pure.

const DEEPEST = 200;

export class History {
  constructor(value) {
    this.reset(value);
  }

  /** Forget everything and start from `value`. */
  reset(value) {
    this.past = [];
    this.future = [];
    this.value = value;
    this.group = null;
  }

  /**
   * Take a new value. Changes in a row with the same `group` (a slider that moves, a band that is dragged) are one
   * step to undo; `close` ends the group.
   */
  push(value, what, group = null) {
    if (JSON.stringify(value) === JSON.stringify(this.value)) return false;
    if (group === null || group !== this.group) {
      this.past.push({ value: this.value, what });
      if (this.past.length > DEEPEST) this.past.shift();
    }
    this.group = group;
    this.future = [];
    this.value = value;
    return true;
  }

  /** The next change of the same group is a step of its own. */
  close() {
    this.group = null;
  }

  /** Go back; what was undone, or null if there is nothing. */
  undo() {
    return this.#move(this.past, this.future);
  }

  /** Go forward again; what was done again, or null. */
  redo() {
    return this.#move(this.future, this.past);
  }

  #move(from, to) {
    const step = from.pop();
    if (!step) return null;
    to.push({ value: this.value, what: step.what });
    this.value = step.value;
    this.group = null;
    return step.what;
  }
}
