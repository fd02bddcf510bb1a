import assert from "node:assert/strict";
import test from "node:test";
import { clock, parseClock, parseSpeed, size, spoken, times } from "./timecode.js";

test("lengths as people read them", () => {
  assert.equal(clock(0), "0:00");
  assert.equal(clock(83.4), "1:23");
  assert.equal(clock(59.96, true), "1:00.0");
  assert.equal(clock(3723), "1:02:03");
  assert.equal(spoken(3723), "1 hour 2 minutes 3 seconds");
  assert.equal(spoken(0), "0 seconds");
});

test("lengths as people write them", () => {
  for (const [text, seconds] of [
    ["2:30", 150],
    ["1:02:03", 3723],
    ["150", 150],
    [" 90 s", 90],
    ["2m", 120],
    ["2m30s", 150],
    ["1h", 3600],
    ["1:23.5", 83.5],
  ]) {
    assert.equal(parseClock(text), seconds, text);
  }
  for (const text of ["", "soon", "2:", ":30", "-5", "1:2:3:4", "2x"]) assert.equal(parseClock(text), null, text);
});

test("speeds as people write them", () => {
  for (const [text, speed] of [
    ["8", 8],
    ["8x", 8],
    ["2.5×", 2.5],
    ["2,5", 2.5],
  ])
    assert.equal(parseSpeed(text), speed, text);
  for (const text of ["", "fast", "0.5", "-3", "x"]) assert.equal(parseSpeed(text), null, text);
  assert.equal(times(9.96), "10×");
  assert.equal(times(4.13), "4.1×");
});

test("sizes", () => {
  assert.equal(size(900), "900 B");
  assert.equal(size(2_350_640), "2.4 MB");
});
