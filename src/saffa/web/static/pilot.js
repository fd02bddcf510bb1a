// What to do with a video element so that it shows what the plan shows. Pure decisions; driver.js carries them out.

export const FASTEST = 16; // Chromium refuses higher playback rates
export const LOUDEST = 4; // above this speed sound is only noise
const NUDGE = 0.04; // output seconds of drift that are tolerated
const LOST = 0.3; // output seconds of drift from which on only a seek helps
const ASTRAY = 0.15; // output seconds off the plan from which on it seeks, but not again and again
const STEPS = 7; // seeks a second above the highest rate
const SLOW_SEEK = 0.16; // seconds; slower seeks than this and the thumbnails are the better picture

/**
 * Decide for one moment.
 *
 * `wanted`   source seconds that should be on screen
 * `shown`    source seconds that the video element is at
 * `off`      how far it is from the plan in output seconds: where `shown` belongs in the output, less the clock
 * `speed`    planned speed from here on
 * `ceiling`  highest playback rate that this device has kept up with so far
 * `seeking`    of the element
 * `stepping`   whether it was stepped until now; it takes a clearly lower speed to play again
 * `jumped`     whether a cut was crossed since the last decision
 * `sinceSeek`  seconds since the last seek was asked for
 * `seekTime`   seconds that seeks take here, on average
 *
 * → {act: "rate", rate} | {act: "seek", ahead} | {act: "wait"}; `ahead` is in output seconds: while stepping the
 * clock runs on until the picture is there; otherwise it waits for it.
 */
export function decide({ wanted, shown, off, speed, ceiling, seeking, stepping: before, jumped, sinceSeek, seekTime }) {
  const stepping = speed > (before ? ceiling * 0.9 : ceiling);
  if (seeking && !jumped) return { act: "wait", stepping };
  const drift = (shown - wanted) / Math.max(speed, 1);
  if (stepping) {
    const period = Math.max(1 / STEPS, seekTime * 1.2);
    if (sinceSeek < period && !jumped) return { act: "wait", stepping };
    return { act: "seek", ahead: Math.min(seekTime + period / 2, 0.3), stepping };
  }
  const hopeless = drift < -LOST / 2 && speed > ceiling * 0.8; // no rate is left to catch up with
  const astray = Math.abs(off) > ASTRAY && sinceSeek > 2 * ASTRAY; // near a change of speed the two measures differ
  if (jumped || hopeless || astray || Math.abs(drift) > LOST) {
    return { act: "seek", ahead: 0, stepping };
  }
  return { act: "rate", rate: corrected(speed, drift, ceiling), stepping };
}

/** The planned rate, bent by up to a quarter against the drift; gentle, so that voices do not wobble. */
export function corrected(speed, drift, ceiling = FASTEST) {
  const strength = Math.abs(drift) < NUDGE ? 0 : drift - Math.sign(drift) * NUDGE;
  const bend = 1 - Math.max(-0.25, Math.min(0.25, strength * 1.5));
  return Math.max(0.5, Math.min(Math.max(ceiling, 1), speed * bend));
}

/** How loud: off above 4×, with a fade of 50 ms towards it. */
export function fade(volume, speed, master, elapsed) {
  const goal = speed > LOUDEST ? 0 : master;
  const most = elapsed / 0.05;
  return Math.min(1, Math.max(0, volume + Math.max(-most, Math.min(most, goal - volume))));
}

/** Whether thumbnails should stand in for the picture while stepping. */
export function needsThumbnails(seekTime) {
  return seekTime > SLOW_SEEK;
}

/** The rate to try from now on, after `losses` seeks were needed within the last seconds of playing at `speed`. */
export function lowered(ceiling, speed, losses) {
  return losses >= 2 && speed > 4 ? Math.max(4, Math.min(ceiling, speed) * 0.7) : ceiling;
}
