const REMIND_EVERY_MS = 5_000;

/** Start of this command, in milliseconds since the epoch. The launcher continues to count from here. */
export const startedAt = Date.now();

/** Prints one line with the seconds since the start. */
export function say(text) {
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`[${seconds.padStart(5)} s] ${text}`);
}

/** Prints the current step, and prints it again every few seconds until the work is done. */
export async function during(text, work) {
  say(text);
  const reminder = setInterval(() => say(`${text} (still working)`), REMIND_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(reminder);
  }
}
