/** The end of a shorter secret would give too much of it away. */
const SHORTEST_SHOWN = 12;

/** What people may see of a secret: its last four characters, or nothing of a short one. */
export function secretEnd(secret: string): string {
  return secret.length < SHORTEST_SHOWN ? '' : secret.slice(-4);
}
