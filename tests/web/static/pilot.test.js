import assert from "node:assert/strict";
import test from "node:test";
import { corrected, decide, fade, FASTEST, lowered, needsThumbnails } from "./pilot.js";

const now = (change) => ({
  wanted: 100,
  shown: 100,
  off: 0,
  speed: 8,
  ceiling: FASTEST,
  seeking: false,
  stepping: false,
  jumped: false,
  sinceSeek: 9,
  seekTime: 0.05,
  ...change,
});

test("up to 16× the rate is the plan's, and never higher than a browser allows", () => {
  for (const speed of [1, 2.5, 8, 16])
    assert.deepEqual(decide(now({ speed })), { act: "rate", rate: speed, stepping: false });
  assert.ok(decide(now({ speed: 16, shown: 98.5 })).rate <= FASTEST);
});

test("drift bends the rate against it, in output time", () => {
  const behind = decide(now({ shown: 100 - 0.15 * 8 })).rate;
  const ahead = decide(now({ shown: 100 + 0.15 * 8 })).rate;
  assert.ok(behind > 8 && behind <= 10, String(behind));
  assert.ok(ahead < 8 && ahead >= 6, String(ahead));
  assert.equal(corrected(1, 0.02), 1);
});

test("lost positions and cuts are sought", () => {
  assert.equal(decide(now({ shown: 97 })).act, "seek");
  assert.equal(decide(now({ jumped: true })).act, "seek");
  assert.equal(decide(now({ shown: 97, seeking: true })).act, "wait");
});

test("at a change of speed, what counts is where the picture belongs in the output", () => {
  assert.equal(decide(now({ speed: 12, shown: 98.5, off: -1.5 })).act, "seek");
  assert.equal(decide(now({ speed: 12, shown: 98.5, off: -1.5, sinceSeek: 0.1 })).act, "rate");
});

test("above 16× it steps, a few times a second, aimed at when the picture will be there", () => {
  assert.equal(decide(now({ speed: 25, sinceSeek: 0.05 })).act, "wait");
  const step = decide(now({ speed: 25, sinceSeek: 0.2 }));
  assert.equal(step.act, "seek");
  assert.ok(step.ahead > 0.05 && step.ahead < 0.2);
  assert.equal(decide(now({ speed: 15, stepping: true })).stepping, true);
  assert.equal(decide(now({ speed: 14, stepping: true })).stepping, false);
});

test("simulated, the position stays within 0.2 s of output time at every speed from 1 to 25", () => {
  for (let speed = 1; speed <= 25; speed += 0.5) {
    const worst = simulate(speed);
    assert.ok(worst <= 0.2, `${speed}×: ${worst.toFixed(3)} s`);
  }
});

/** A player whose seeks take 60 ms and whose rate is 2 % off; the 95th percentile of drift in output seconds. */
function simulate(speed) {
  let shown = 0;
  let rate = 0;
  let seekEnds = null;
  let target = 0;
  let sinceSeek = 9;
  let stepping = false;
  const drifts = [];
  for (let t = 0; t < 20; t += 1 / 60) {
    sinceSeek += 1 / 60;
    if (seekEnds !== null && t >= seekEnds) {
      shown = target;
      seekEnds = null;
    }
    const choice = decide(
      now({ wanted: t * speed, shown, speed, seeking: seekEnds !== null, stepping, sinceSeek, seekTime: 0.06 }),
    );
    stepping = choice.stepping;
    if (choice.act === "rate") rate = choice.rate;
    if (stepping) rate = 0;
    if (choice.act === "seek") {
      target = (t + choice.ahead) * speed;
      seekEnds = t + 0.06;
      sinceSeek = 0;
    }
    if (seekEnds === null) shown += (rate * 0.98) / 60;
    drifts.push(Math.abs(shown - (t + 1 / 60) * speed) / speed);
  }
  return drifts.sort((a, b) => a - b)[Math.floor(drifts.length * 0.95)];
}

test("sound fades over 50 ms and is off above 4×", () => {
  assert.equal(fade(1, 5, 1, 0.025), 0.5);
  assert.equal(fade(0.5, 5, 1, 0.05), 0);
  assert.equal(fade(0, 3, 0.8, 1), 0.8);
  assert.equal(fade(1, 1, 1, 0.016), 1);
});

test("a device that cannot keep up steps earlier", () => {
  assert.equal(lowered(16, 12, 1), 16);
  assert.ok(lowered(16, 12, 2) < 12);
  assert.equal(lowered(5, 5, 9), 4);
  assert.equal(lowered(16, 2, 9), 16);
  assert.equal(needsThumbnails(0.3), true);
  assert.equal(needsThumbnails(0.05), false);
});
