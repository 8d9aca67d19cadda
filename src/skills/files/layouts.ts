/** The programs whose folders a collection can be written for. */
const LAYOUTS = {
  /** Root files beside a folder of skills. */
  claude_code: { prefix: '.claude/', skills: 'skills/' },
  openai: { prefix: '.agents/', skills: 'skills/' },
  /** The whole folder, skills in `workspace/skills/`. */
  openclaw: { prefix: '.openclaw/', skills: '' },
} as const;

export type SkillProvider = keyof typeof LAYOUTS;

const PROVIDERS = Object.keys(LAYOUTS) as SkillProvider[];
const PREFIXES = PROVIDERS.map((provider) => LAYOUTS[provider].prefix);

/** Names by which clients call providers as well; null for a collection that is written for none. */
const NAMES = new Map<string, SkillProvider | null>([
  ...PROVIDERS.map((provider) => [provider, provider] as const),
  ['claude', 'claude_code'],
  ['codex', 'openai'],
  ['universal', null],
]);

/** undefined for a name that nobody knows. */
export const providerNamed = (name: string): SkillProvider | null | undefined => NAMES.get(name.trim().toLowerCase());

/** The one provider whose folder is among the paths; null when there is none, or several. */
export function providerOf(paths: string[]): SkillProvider | null {
  const found = PROVIDERS.filter((provider) => paths.some((path) => path.startsWith(LAYOUTS[provider].prefix)));
  return found.length === 1 ? found[0]! : null;
}

/** Folders that mean something in a layout: nobody packs them to have them taken away again. */
const LAYOUT_FOLDERS = new Set([...PREFIXES, 'skills/', 'workspace/', 'agents/'].map((prefix) => prefix.slice(0, -1)));

export const isLayoutFolder = (folder: string): boolean => LAYOUT_FOLDERS.has(folder);

/** Where readers find a file of a collection. */
export function exportedPath(provider: SkillProvider | null, path: string): string {
  if (provider === null) return path;
  const { prefix, skills } = LAYOUTS[provider];
  const isAtHome = !path.includes('/') || path.startsWith(skills);
  return isAtHome ? prefix + path : prefix + skills + path;
}

/**
 * Where a file is stored that was written to a path, with or without what `exportedPath` adds. No two stored paths have the same
 * exported path: what is stored is what is left when the prefix, and the folder of skills around a skill, are taken away.
 */
export function storedPath(provider: SkillProvider | null, path: string): string {
  if (provider === null) return path;
  const { skills } = LAYOUTS[provider];
  const prefix = PREFIXES.find((each) => path.startsWith(each)) ?? '';
  const rest = path.slice(prefix.length);
  if (skills === '' || !rest.startsWith(skills)) return rest;
  const inSkills = rest.slice(skills.length);
  // A file that lies in the folder itself would otherwise be taken for one at the root.
  return inSkills.includes('/') && !inSkills.startsWith(skills) ? inSkills : rest;
}

/** The same for a folder. */
export function storedFolder(provider: SkillProvider | null, folder: string): string {
  const inside = storedPath(provider, `${folder}/x`);
  return inside === 'x' ? '' : inside.slice(0, -2);
}
