import assert from "node:assert/strict";
import test from "node:test";
import { TimeMap } from "./timemap.js";

const near = (a, b, within = 1e-9) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const plan = () =>
  new TimeMap([
    { start: 0, end: 20, speed: 10, sentence: null },
    { start: 20, end: 25, speed: 1, sentence: 0 },
    { start: 40, end: 90, speed: 25, sentence: null },
    { start: 90, end: 94, speed: 2, sentence: 1 },
  ]);

test("the length is the sum of what is shown", () => near(plan().length, 2 + 5 + 2 + 2));

test("output to source and back, everywhere but in the cut", () => {
  const map = plan();
  for (let t = 0; t < map.length; t += 0.013) near(map.outputAt(map.sourceAt(t)), t, 1e-6);
});

test("source times are held at both ends", () => {
  near(plan().sourceAt(-3), 0);
  near(plan().sourceAt(99), 94);
});

test("what is cut out is shown at the moment after the cut", () => {
  near(plan().outputAt(30), 7);
  near(plan().outputAt(40), 7);
  near(plan().sourceAt(7), 40);
  near(plan().outputAt(1000), 11);
});

test("the next cut, and none after the last", () => {
  near(plan().nextCut(0), 7);
  assert.equal(plan().nextCut(7), Infinity);
});

test("speed is the mean over a window that ends at a cut", () => {
  const map = plan();
  near(map.speedAt(0.5), 10);
  near(map.speedAt(1.9, 0.2), (0.1 * 10 + 0.1 * 1) / 0.2, 1e-6);
  near(map.speedAt(6.9, 0.5), 1, 1e-6);
  near(map.speedAt(map.length), 2, 1e-6);
});

test("a plan of many short segments has the speed of all of them", () => {
  const frames = Array.from({ length: 500 }, (_, i) => ({
    start: (i * 24.5) / 25,
    end: ((i + 1) * 24.5) / 25,
    speed: 24.5,
    sentence: null,
  }));
  near(new TimeMap(frames).speedAt(3.33), 24.5, 1e-6);
});

test("speed over source seconds is infinite where nothing is shown", () => {
  assert.equal(plan().speedOver(27, 38), Infinity);
  near(plan().speedOver(0, 20), 10);
});

test("cuts, also at the end of the video", () =>
  assert.deepEqual(plan().cuts(100), [
    [25, 40],
    [94, 100],
  ]));

test("chapters join neighbours of one sentence", () => {
  const found = new TimeMap([
    { start: 0, end: 1, speed: 1, sentence: 2 },
    { start: 1, end: 3, speed: 2, sentence: 2 },
    { start: 3, end: 4, speed: 1, sentence: null },
  ]).chapters();
  assert.deepEqual(found, [
    { sentence: 2, from: 0, to: 2 },
    { sentence: null, from: 2, to: 3 },
  ]);
});

test("even fast-forward has the length asked for", () => {
  const map = TimeMap.even(1203, 120);
  near(map.length, 120, 1e-6);
  near(map.sourceAt(60), 601.5, 1e-6);
});

test("an empty plan does no harm", () => {
  const map = new TimeMap([]);
  assert.equal(map.length, 0);
  assert.equal(map.sourceAt(3), 0);
  assert.equal(map.outputAt(3), 0);
  assert.equal(map.speedAt(0), 1);
  assert.equal(map.sentenceAt(0), null);
});
