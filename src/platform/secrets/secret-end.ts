/** The end of a shorter secret would reveal too much. */
const SHORTEST_SHOWN = 12;

/** The visible part of a secret: its last four characters, or nothing for a short one. */
export function secretEnd(secret: string): string {
  return secret.length < SHORTEST_SHOWN ? '' : secret.slice(-4);
}
