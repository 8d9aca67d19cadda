import { toJson } from './to-json.js';

// Kept here, as the code of a user may replace them.
const { join } = Array.prototype;
const slice = Function.prototype.call.bind(String.prototype.slice) as (
  text: string,
  from: number,
  to: number,
) => string;

const printed = { stdout: '', stderr: '' };
/** Maximum characters of a stream; 0 while output is not requested. */
let room = 0;

export function keepPrinted(most: number): void {
  room = most;
}

export function printedOn(stream: keyof typeof printed): string {
  return printed[stream];
}

/** Prints texts unchanged, and other values as JSON if possible. */
export function printTo(stream: keyof typeof printed): (...values: unknown[]) => void {
  return (...values) => {
    if (room <= printed[stream].length) return;
    for (let index = 0; index < values.length; index++) values[index] = shown(values[index]);
    printed[stream] = slice(`${printed[stream]}${join.call(values, ' ')}\n`, 0, room);
  };
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
  try {
    return toJson(value);
  } catch {
    return String(value);
  }
}
