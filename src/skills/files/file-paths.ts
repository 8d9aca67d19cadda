import { SkillErrors } from '../skills.errors.js';

const MAX_LENGTH = 1024;
/** Also what stands for characters that cannot be stored: nobody means a path with it. */
const UNUSABLE = /[\p{Cc}\uFFFD]/u;

/** Throws skill_path_invalid unless the path leads to a file inside a folder, on any machine. */
export function checkPath(path: string): void {
  const problem = problemOf(path);
  if (problem) throw SkillErrors.skill_path_invalid(path, problem);
}

function problemOf(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (UNUSABLE.test(path)) return 'it holds characters that no path can have';
  if (path.includes('\\')) return 'folders are separated by "/"';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'it must be relative';
  const segments = path.split('/');
  if (segments.includes('..') || segments.includes('.')) return 'it must not lead elsewhere with "." or ".."';
  return segments.includes('') ? 'it has an empty segment' : null;
}

/** Throws skill_path_taken where a path is there twice, or is that of a file and of a folder. */
export function checkDistinct(paths: string[]): void {
  const files = new Set<string>();
  for (const path of paths) {
    if (files.has(path)) throw SkillErrors.skill_path_taken(path);
    files.add(path);
  }
  for (const path of paths) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (files.has(folder)) throw SkillErrors.skill_path_taken(folder);
    }
  }
}
