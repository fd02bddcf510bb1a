// Times and speeds as people read and write them. Pure.

/** `83.2` → "1:23"; with `tenths` "1:23.2"; hours appear when there are any. */
export function clock(seconds, tenths = false) {
  const scale = tenths ? 10 : 1;
  const whole = Math.round(Math.max(0, seconds) * scale);
  const units = Math.floor(whole / scale);
  const hours = Math.floor(units / 3600);
  const minutes = Math.floor(units / 60) % 60;
  const rest = String(units % 60).padStart(2, "0") + (tenths ? `.${whole % 10}` : "");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A length for a screen reader: "2 minutes 3 seconds". */
export function spoken(seconds) {
  const whole = Math.round(Math.max(0, seconds));
  const parts = [
    [Math.floor(whole / 3600), "hour"],
    [Math.floor(whole / 60) % 60, "minute"],
    [whole % 60, "second"],
  ];
  const said = parts.filter(([n]) => n).map(([n, unit]) => `${n} ${unit}${n === 1 ? "" : "s"}`);
  return said.join(" ") || "0 seconds";
}

/** "2:30", "1:02:03", "150", "150 s", "2m", "2m30s" → seconds; null for anything else. */
export function parseClock(text) {
  const compact = text.trim().toLowerCase().replace(/\s+/g, "").replace(",", ".");
  const units = /^(?:(\d+)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s)?$/.exec(compact);
  if (compact && units) return (Number(units[1]) || 0) * 3600 + (Number(units[2]) || 0) * 60 + (Number(units[3]) || 0);
  if (!/^\d+(:\d{1,2}){0,2}(\.\d+)?$/.test(compact)) return null;
  return compact.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** "10", "10x", "10×", "2.5" → a number of 1 or more; null for anything else. */
export function parseSpeed(text) {
  const compact = text
    .trim()
    .toLowerCase()
    .replace(",", ".")
    .replace(/\s*[x×]$/, "");
  const value = Number(compact);
  return compact && Number.isFinite(value) && value >= 1 ? value : null;
}

/** `9.96` → "10×", `4.13` → "4.1×". */
export function times(speed) {
  return `${speed >= 9.95 ? Math.round(speed) : Number(speed.toFixed(1))}×`;
}

/** Bytes for people: "12 MB". */
export function size(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
