import assert from "node:assert/strict";
import test from "node:test";
import { Axis, dragged, hit } from "./axis.js";

const lanes = { ruler: [0, 20], ranges: [20, 40], pictures: [40, 100], steps: [100, 130] };
const scene = {
  bands: [
    { sentence: 0, start: 10, end: 30 },
    { sentence: 1, start: 25, end: 45 },
  ],
  ranges: [{ kind: "cut", start: 50, end: 60 }],
};

test("seconds and pixels, zoomed and scrolled", () => {
  const axis = new Axis(100, 1000, 4, 700);
  for (const seconds of [17.5, 20, 42.5]) assert.ok(Math.abs(axis.seconds(axis.x(seconds)) - seconds) < 1e-9);
  assert.deepEqual(axis.visible, [17.5, 42.5]);
  assert.equal(axis.seconds(-9999), 0);
  assert.equal(axis.seconds(99999), 100);
});

test("zooming keeps the second under the pointer", () => {
  const axis = new Axis(100, 1000, 2, 300);
  const seconds = axis.seconds(400);
  const closer = new Axis(100, 1000, 8, axis.scrollFor(seconds, 400, 8));
  assert.ok(Math.abs(closer.x(seconds) - 400) < 1e-9);
  assert.equal(axis.scrollFor(0, 400, 8), 0);
});

test("labels never stand closer than asked for", () => {
  for (const duration of [3, 60, 1203, 7200, 20000]) {
    const axis = new Axis(duration, 1000);
    assert.ok(axis.tick(70) * axis.perSecond >= 70, String(duration));
  }
});

test("edges win over bodies, and the band on top over the one below", () => {
  const axis = new Axis(100, 1000);
  const at = (x, y) => hit(axis, lanes, scene, x, y);
  assert.deepEqual([at(150, 110).target, at(150, 110).item.sentence], ["body", 0]);
  assert.deepEqual([at(270, 110).target, at(270, 110).item.sentence], ["body", 1]);
  assert.deepEqual([at(101, 110).target, at(101, 110).item.sentence], ["start", 0]);
  assert.deepEqual([at(448, 110).target, at(448, 110).item.sentence], ["end", 1]);
  assert.equal(at(600, 110).target, "none");
  assert.equal(at(550, 30).item.kind, "cut");
  assert.equal(at(550, 70).item, null);
  assert.equal(at(550, 70).lane, "pictures");
  assert.equal(at(550, 999).lane, null);
});

test("a narrow band can still be dragged as a whole", () => {
  const axis = new Axis(1000, 1000);
  const narrow = { bands: [{ sentence: 0, start: 100, end: 112 }], ranges: [] };
  assert.equal(hit(axis, lanes, narrow, 106, 110).target, "body");
});

test("dragging keeps a band inside the video and longer than nothing", () => {
  const band = { start: 10, end: 14 };
  assert.deepEqual(dragged(band, "body", -50, 100), { start: 0, end: 4 });
  assert.deepEqual(dragged(band, "body", 500, 100), { start: 96, end: 100 });
  assert.deepEqual(dragged(band, "start", 50, 100), { start: 13.5, end: 14 });
  assert.deepEqual(dragged(band, "end", -50, 100), { start: 10, end: 10.5 });
});
