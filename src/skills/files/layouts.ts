/** Folder layouts of programs that use skills. */
const LAYOUTS = {
  /** Root files next to a folder of skills. */
  claude_code: { prefix: '.claude/', skills: 'skills/' },
  openai: { prefix: '.agents/', skills: 'skills/' },
  /** The whole folder, skills in `workspace/skills/`. */
  openclaw: { prefix: '.openclaw/', skills: '' },
} as const;

export type SkillProvider = keyof typeof LAYOUTS;

const PROVIDERS = Object.keys(LAYOUTS) as SkillProvider[];
const PREFIXES = PROVIDERS.map((provider) => LAYOUTS[provider].prefix);

/** Names of providers in requests, including aliases; null means no provider. */
const NAMES = new Map<string, SkillProvider | null>([
  ...PROVIDERS.map((provider) => [provider, provider] as const),
  ['claude', 'claude_code'],
  ['codex', 'openai'],
  ['universal', null],
]);

/** undefined for an unknown name. */
export const providerNamed = (name: string): SkillProvider | null | undefined => NAMES.get(name.trim().toLowerCase());

/** The only provider whose folder is among the paths; null if there is none, or several. */
export function providerOf(paths: string[]): SkillProvider | null {
  const found = PROVIDERS.filter((provider) => paths.some((path) => path.startsWith(LAYOUTS[provider].prefix)));
  return found.length === 1 ? found[0]! : null;
}

/** Folders of layouts. They are never treated as the wrapping folder of an archive. */
const LAYOUT_FOLDERS = new Set([...PREFIXES, 'skills/', 'workspace/', 'agents/'].map((prefix) => prefix.slice(0, -1)));

export const isLayoutFolder = (folder: string): boolean => LAYOUT_FOLDERS.has(folder);

/** The path at which readers find a stored file. */
export function exportedPath(provider: SkillProvider | null, path: string): string {
  if (provider === null) return path;
  const { prefix, skills } = LAYOUTS[provider];
  const isAtHome = !path.includes('/') || path.startsWith(skills);
  return isAtHome ? prefix + path : prefix + skills + path;
}

/**
 * The path at which a file is stored, from a path with or without the parts that `exportedPath` adds. It lacks the prefix of the
 * provider and the folder of skills around a skill. No two stored paths have the same exported path.
 */
export function storedPath(provider: SkillProvider | null, path: string): string {
  if (provider === null) return path;
  const { skills } = LAYOUTS[provider];
  const prefix = PREFIXES.find((each) => path.startsWith(each)) ?? '';
  const rest = path.slice(prefix.length);
  if (skills === '' || !rest.startsWith(skills)) return rest;
  const inSkills = rest.slice(skills.length);
  // A file directly in the folder of skills keeps it: otherwise it would be a file at the root.
  return inSkills.includes('/') && !inSkills.startsWith(skills) ? inSkills : rest;
}

/** The stored path of a folder. */
export function storedFolder(provider: SkillProvider | null, folder: string): string {
  const inside = storedPath(provider, `${folder}/x`);
  return inside === 'x' ? '' : inside.slice(0, -2);
}
