import assert from "node:assert/strict";
import test from "node:test";
import { History } from "./history.js";

test("undo and redo walk over the values", () => {
  const history = new History(1);
  history.push(2, "two");
  history.push(3, "three");
  assert.equal(history.undo(), "three");
  assert.equal(history.value, 2);
  assert.equal(history.undo(), "two");
  assert.equal(history.undo(), null);
  assert.equal(history.value, 1);
  assert.equal(history.redo(), "two");
  assert.equal(history.redo(), "three");
  assert.equal(history.redo(), null);
  assert.equal(history.value, 3);
});

test("a change after undo forgets what was undone", () => {
  const history = new History("a");
  history.push("b", "b");
  history.undo();
  history.push("c", "c");
  assert.equal(history.redo(), null);
  assert.equal(history.value, "c");
});

test("a slider that moves is one step, until it is let go", () => {
  const history = new History(0);
  for (let i = 1; i < 9; i++) history.push(i, "speed", "speed");
  history.close();
  history.push(20, "speed", "speed");
  history.undo();
  assert.equal(history.value, 8);
  history.undo();
  assert.equal(history.value, 0);
});

test("the same value again is no step", () => {
  const history = new History({ a: [1] });
  assert.equal(history.push({ a: [1] }, "nothing"), false);
  assert.equal(history.undo(), null);
});

test("the memory is bounded", () => {
  const history = new History(0);
  for (let i = 1; i < 1000; i++) history.push(i, "step");
  assert.equal(history.past.length, 200);
});
