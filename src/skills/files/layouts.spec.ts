import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportedPath, providerNamed, providerOf, type SkillProvider, storedFolder, storedPath } from './layouts.js';

describe('stored and exported paths', () => {
  it.each<[SkillProvider | null, stored: string, exported: string]>([
    ['claude_code', 'CLAUDE.md', '.claude/CLAUDE.md'],
    ['claude_code', 'my-skill/SKILL.md', '.claude/skills/my-skill/SKILL.md'],
    ['claude_code', 'skills/README.md', '.claude/skills/README.md'],
    ['openai', 'AGENTS.md', '.agents/AGENTS.md'],
    ['openai', 'my-skill/agents/openai.yaml', '.agents/skills/my-skill/agents/openai.yaml'],
    ['openclaw', 'openclaw.json', '.openclaw/openclaw.json'],
    ['openclaw', 'workspace/skills/my-skill/SKILL.md', '.openclaw/workspace/skills/my-skill/SKILL.md'],
    ['openclaw', 'skills/a/b', '.openclaw/skills/a/b'],
    [null, '.claude/skills/a/SKILL.md', '.claude/skills/a/SKILL.md'],
    [null, 'skills/a/b', 'skills/a/b'],
  ])('%s: %s is exported at %s', (provider, stored, exported) => {
    expect(exportedPath(provider, stored)).toBe(exported);
    expect(storedPath(provider, exported)).toBe(stored);
    expect(storedPath(provider, stored)).toBe(stored);
  });

  it.each<[SkillProvider, written: string, stored: string]>([
    ['claude_code', 'skills/a/SKILL.md', 'a/SKILL.md'],
    ['claude_code', '.agents/skills/a/SKILL.md', 'a/SKILL.md'],
    ['claude_code', '.claude/a/SKILL.md', 'a/SKILL.md'],
    ['openclaw', '.claude/skills/a/SKILL.md', 'skills/a/SKILL.md'],
  ])('%s: a file written to %s is stored at %s', (provider, written, stored) => {
    expect(storedPath(provider, written)).toBe(stored);
  });

  it.each<[SkillProvider | null, folder: string, stored: string]>([
    ['claude_code', 'a', 'a'],
    ['claude_code', '.claude/skills/a', 'a'],
    ['claude_code', 'skills', 'skills'],
    ['claude_code', '.claude', ''],
    [null, '.claude/skills', '.claude/skills'],
  ])('%s: the folder %s is stored at %s', (provider, folder, stored) => {
    expect(storedFolder(provider, folder)).toBe(stored);
  });

  it('convert into each other, and no two files have one exported path', () => {
    const segment = fc.constantFrom('skills', '.claude', '.agents', '.openclaw', 'workspace', 'a', 'SKILL.md');
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'));
    const provider = fc.constantFrom<SkillProvider | null>('claude_code', 'openai', 'openclaw', null);
    fc.assert(
      fc.property(provider, path, path, (whose, one, other) => {
        // Random paths may be mere prefixes; the results of storedPath never are.
        const [first, second] = [storedPath(whose, one), storedPath(whose, other)];
        const exported = exportedPath(whose, first);
        expect(storedPath(whose, exported)).toBe(first);
        if (first !== second) expect(exportedPath(whose, second)).not.toBe(exported);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a provider', () => {
  it.each([
    ['claude_code', 'claude_code'],
    ['claude', 'claude_code'],
    ['CODEX', 'openai'],
    [' openclaw ', 'openclaw'],
    ['universal', null],
    ['', undefined],
    ['vscode', undefined],
    ['constructor', undefined],
  ])('is named %s', (name, provider) => {
    expect(providerNamed(name)).toBe(provider);
  });

  it.each([
    [['.claude/CLAUDE.md', 'README.md'], 'claude_code'],
    [['.agents/skills/a/SKILL.md'], 'openai'],
    [['.openclaw/openclaw.json'], 'openclaw'],
    [['.claude/CLAUDE.md', '.agents/AGENTS.md'], null],
    [['a/.claude/CLAUDE.md'], null],
    [[], null],
  ])('is known by %j', (paths, provider) => {
    expect(providerOf(paths)).toBe(provider);
  });
});
