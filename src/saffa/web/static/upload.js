// Sending a video to the server in pieces, so that it can go on after a reload or a lost connection.

import { ask, get, post } from "./server.js";

const PIECE = 4 * 1024 * 1024;
const PATIENCE = [1, 2, 4, 8, 15]; // seconds between tries

/** Uploads that were begun and not finished: [{id, name, size, received}]. */
export async function unfinished() {
  return (await get("uploads")).uploads;
}

/**
 * Send a file; gives the id of the video. `progress(received, size)` is called as it goes. A file of the same name
 * and size that was begun before is continued.
 */
export async function send(file, progress, signal) {
  const before = (await unfinished()).find((u) => u.name === file.name && u.size === file.size && !u.video);
  let upload = before ?? (await post("uploads", { name: file.name, size: file.size }));
  let failures = 0;
  progress(upload.received, file.size);
  while (!upload.video) {
    const piece = file.slice(upload.received, upload.received + PIECE);
    try {
      upload = await ask("PUT", `uploads/${upload.id}?offset=${upload.received}`, piece, { signal });
      failures = 0;
    } catch (error) {
      if (error.received !== null && error.received !== undefined) upload.received = error.received;
      else if (error.status !== 0 || failures >= PATIENCE.length) throw error;
      else await new Promise((resolve) => setTimeout(resolve, PATIENCE[failures] * 1000));
      failures += 1;
      if (failures > PATIENCE.length) throw error;
    }
    progress(upload.received, file.size);
  }
  return upload.video;
}
