/** The name of a key in records of actions; its last four characters when it has no name. */
export function keyNameOf({ name, lastFour }: { name: string | null; lastFour: string }): string {
  return name ?? `API key …${lastFour}`;
}
