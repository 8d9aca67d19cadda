/** The name of a key or a member in records of actions; the last four characters of a key without a name. */
export function keyNameOf({ name, lastFour }: { name: string | null; lastFour: string | null }): string {
  return name ?? `API key …${lastFour ?? ''}`;
}
