/** The titles of columns as keys of one object: a repeated title gets a number, such as `Score (2)`. */
export function uniqueNames(titles: string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title) => {
    let name = title;
    for (let count = 2; taken.has(name); count++) name = `${title} (${count})`;
    taken.add(name);
    return name;
  });
}
