import assert from "node:assert/strict";
import test from "node:test";
import { cleared, fitting, hereOf, placed, resized, reweighted, weightOf, without, withRange } from "./corrections.js";

const ranges = (list) => list.map((c) => `${c.kind} ${c.start}-${c.end}`);

test("a range takes what it covers away from others, so nothing contradicts", () => {
  let list = withRange([], { kind: "cut", start: 10, end: 30 });
  list = withRange(list, { kind: "keep", start: 15, end: 20 });
  assert.deepEqual(ranges(list), ["keep 15-20", "cut 10-15", "cut 20-30"]);
  list = withRange(list, { kind: "skip", start: 5, end: 40 });
  assert.deepEqual(ranges(list), ["skip 5-40"]);
});

test("a range drawn from right to left, and one that is too short", () => {
  assert.deepEqual(ranges(withRange([], { kind: "keep", start: 9, end: 4 })), ["keep 4-9"]);
  assert.deepEqual(withRange([], { kind: "keep", start: 4, end: 4.05 }), []);
});

test("clearing and moving an edge", () => {
  const list = withRange([], { kind: "cut", start: 10, end: 30 });
  assert.deepEqual(ranges(cleared(list, 12, 40)), ["cut 10-12"]);
  assert.deepEqual(ranges(resized(list, list[0], 8, 20)), ["cut 8-20"]);
  assert.deepEqual(without(list, list[0]), []);
});

test("weights go up and down a ladder and vanish at 1", () => {
  let list = reweighted([], 2, 1);
  assert.equal(weightOf(list, 2), 2);
  list = reweighted(list, 2, 1);
  list = reweighted(list, 2, 1);
  assert.equal(weightOf(list, 2), 4);
  list = reweighted(reweighted(list, 2, -1), 2, -1);
  assert.deepEqual(list, []);
  for (let i = 0; i < 5; i++) list = reweighted(list, 2, -1);
  assert.equal(weightOf(list, 2), 0);
});

test("it is here, and taken back; ranges stay", () => {
  const cut = withRange([], { kind: "cut", start: 1, end: 2 });
  const list = placed(placed(cut, 3, { start: 5, end: 8 }), 3, { start: 6.00049, end: 9 });
  assert.deepEqual(hereOf(list, 3), { kind: "here", sentence: 3, start: 6, end: 9 });
  assert.deepEqual(placed(list, 3, null), cut);
  assert.equal(withRange(list, { kind: "cut", start: 0, end: 99 }).length, 2);
});

test("a shorter text drops what names sentences it lacks", () => {
  const list = reweighted(placed(withRange([], { kind: "cut", start: 1, end: 2 }), 5, { start: 1, end: 2 }), 0, 1);
  assert.deepEqual(
    fitting(list, 1).map((c) => c.kind),
    ["cut", "weight"],
  );
});
