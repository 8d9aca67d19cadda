/** What a key is called where it is said who did something: by its name, or by its last characters when it has none. */
export function keyNameOf({ name, lastFour }: { name: string | null; lastFour: string }): string {
  return name ?? `API key …${lastFour}`;
}
