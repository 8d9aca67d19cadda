import { SkillErrors } from '../shared/skills.errors.js';
import { type SkillProvider, storedPath } from './layouts.js';

const MAX_LENGTH = 1024;
/** Control characters, line separators, and the replacement character. */
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\uFFFD]/u;
/** Marks of text direction and invisible characters. Paths with and without them look the same, and some systems drop them. */
const INVISIBLE =
  /\p{Bidi_Control}|[\u00AD\u115F\u1160\u180E\u200B-\u200D\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]/u;
/** The folder of Git, also by its short name on Windows. */
const OF_GIT = /^(?:\.git|git~\d+)$/i;
/** Names of devices on Windows. With an extension they are ordinary files, except on old versions. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])$/i;

/**
 * Maps the path of a request to the stored path. All paths of files pass through here. Throws skill_path_invalid unless both paths
 * stay inside their folder on any machine, and name nothing that programs read on their own.
 */
export function pathToStore(provider: SkillProvider | null, path: string): string {
  const stored = storedPath(provider, path);
  for (const each of [path, stored]) checkNewPath(path, each);
  return stored;
}

/** Throws skill_path_invalid unless a new file may have the path. `shown` is the path of the request. */
export function checkNewPath(shown: string, path = shown): void {
  const problem = addressProblem(path) ?? nameProblem(path);
  if (problem) throw SkillErrors.skill_path_invalid(shown, problem);
}

/** Throws skill_path_invalid for texts that are not paths. Old files may have paths that are forbidden for new ones. */
export function checkAddress(path: string): void {
  const problem = addressProblem(path);
  if (problem) throw SkillErrors.skill_path_invalid(path, problem);
}

function addressProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (UNUSABLE.test(path)) return 'it holds characters that no path can have';
  if (path.includes('\\')) return 'folders are separated by "/"';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'it must be relative';
  const segments = path.split('/');
  if (segments.includes('..') || segments.includes('.')) return 'it must not lead elsewhere with "." or ".."';
  return segments.includes('') ? 'it has an empty segment' : null;
}

function nameProblem(path: string): string | null {
  if (path.startsWith('~')) return 'it must not begin with "~", which is the home folder';
  if (INVISIBLE.test(path)) return 'it holds characters that cannot be seen';
  if (path.includes(':')) return 'it must not hold ":"';
  const segments = path.split('/');
  if (segments.some((segment) => OF_GIT.test(segment))) return 'the folder .git belongs to Git';
  if (segments.some((segment) => DEVICE.test(segment))) return 'Windows has a device of that name';
  if (segments.some((segment) => /^\s|[\s.]$/u.test(segment)))
    return 'the names in it must neither begin with a space nor end with a space or a dot';
  return null;
}

/**
 * Throws skill_path_taken if two files have one path, or a file has the path of a folder. Ignores letter case and Unicode forms, as
 * many file systems do. Two paths that are both `known` may differ in these only.
 */
export function checkDistinct(paths: string[], known: ReadonlySet<string> = new Set()): void {
  const files = new Set<string>();
  const folded = new Map<string, string>();
  const isTaken = (path: string, by = path): boolean => {
    const same = folded.get(fold(path));
    return files.has(path) || (same !== undefined && !(known.has(same) && known.has(by)));
  };
  for (const path of paths) {
    if (isTaken(path)) throw SkillErrors.skill_path_taken(path);
    files.add(path);
    folded.set(fold(path), path);
  }
  for (const path of paths) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (isTaken(folder, path)) throw SkillErrors.skill_path_taken(folder);
    }
  }
}

const fold = (path: string): string => path.normalize('NFC').toLowerCase().normalize('NFC');
