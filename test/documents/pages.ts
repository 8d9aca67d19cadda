import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Commands of a page, and what it says about their answers. */
export interface Block {
  /** Where the commands begin in the page. */
  line: number;
  commands: string;
  /** Answers as they are shown after the commands, shortened. */
  claims: unknown[];
}

/** Every page whose commands are run: the README and what is below docs. */
export function pages(): string[] {
  const below = (folder: string) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join(folder, name))
      .sort();
  return ['README.md', ...below('docs')].filter((page) => blocksOf(page).length > 0);
}

/** The blocks marked `sh`, in order, each with the blocks marked `json` that follow it. `bash` is only shown. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const blocks: Block[] = [];
  for (const { 1: language, 2: content, index } of text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    if (language === 'sh')
      blocks.push({ line: text.slice(0, index).split('\n').length + 1, commands: content, claims: [] });
    if (language === 'json') blocks.at(-1)?.claims.push(JSON.parse(content));
  }
  return blocks;
}

/** The block below a heading. */
export function blockBelow(page: string, heading: string): Block {
  const before = readFileSync(path.join(ROOT, page), 'utf8').split(`\n${heading}\n`)[0].split('\n').length;
  return blocksOf(page).find(({ line }) => line > before)!;
}

/** Whether an answer has everything that is claimed of it; "…" stands for any value. */
export function bearsOut(answer: unknown, claim: unknown): boolean {
  if (claim === '…') return answer !== undefined;
  if (typeof claim !== 'object' || claim === null) return answer === claim;
  if (typeof answer !== 'object' || answer === null) return false;
  return Object.entries(claim).every(([key, value]) => bearsOut((answer as Record<string, unknown>)[key], value));
}
