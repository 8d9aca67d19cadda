import { describe, expect, it } from 'vitest';
import { changeFiles } from './change-files.js';
import { checkAddress, checkDistinct, checkNewPath } from './file-paths.js';

const files = new Map([
  ['CLAUDE.md', 1],
  ['a/SKILL.md', 2],
  ['a/x/y.py', 3],
  ['b/SKILL.md', 4],
]);
const change = (changes: { moves?: [string, string][]; deletes?: string[] }) => {
  const moves = (changes.moves ?? []).map(([from, to]) => ({ from, to }));
  return Object.fromEntries(changeFiles(files, { moves, deletes: changes.deletes ?? [] }, 'claude_code'));
};

describe('files', () => {
  it.each([
    ['a file', [['a/SKILL.md', 'c/SKILL.md']], { 'c/SKILL.md': 2, 'a/x/y.py': 3, 'CLAUDE.md': 1, 'b/SKILL.md': 4 }],
    [
      'by the paths that readers see',
      [['.claude/skills/a/SKILL.md', '.claude/skills/c/SKILL.md']],
      { 'c/SKILL.md': 2, 'a/x/y.py': 3, 'CLAUDE.md': 1, 'b/SKILL.md': 4 },
    ],
    ['a folder', [['a', 'c']], { 'c/SKILL.md': 2, 'c/x/y.py': 3, 'CLAUDE.md': 1, 'b/SKILL.md': 4 }],
    [
      'two that change places',
      [
        ['a/SKILL.md', 'b/SKILL.md'],
        ['b/SKILL.md', 'a/SKILL.md'],
      ],
      { 'a/SKILL.md': 4, 'b/SKILL.md': 2, 'a/x/y.py': 3, 'CLAUDE.md': 1 },
    ],
  ] as [string, [string, string][], object][])('are moved: %s', (_, moves, expected) => {
    expect(change({ moves })).toEqual(expected);
  });

  it('are deleted, alone and with their folder, after they were moved', () => {
    expect(change({ deletes: ['a'] })).toEqual({ 'CLAUDE.md': 1, 'b/SKILL.md': 4 });
    expect(change({ deletes: ['.claude/skills/a/x/y.py', 'b/SKILL.md'] })).toEqual({ 'CLAUDE.md': 1, 'a/SKILL.md': 2 });
    expect(change({ moves: [['a', 'c']], deletes: ['c'] })).toEqual({ 'CLAUDE.md': 1, 'b/SKILL.md': 4 });
  });

  it.each([
    [{ moves: [['nothing', 'c']] }, 'skill_path_not_found'],
    [{ deletes: ['nothing'] }, 'skill_path_not_found'],
    [{ deletes: ['a/SKILL.md', 'a/SKILL.md'] }, null],
    [{ moves: [['a', 'c']], deletes: ['a'] }, 'skill_path_not_found'],
    [{ moves: [['a/SKILL.md', 'b/SKILL.md']] }, 'skill_path_taken'],
    [
      {
        moves: [
          ['a', 'c'],
          ['a/SKILL.md', 'd'],
        ],
      },
      'skill_path_taken',
    ],
    [{ moves: [['a', '../c']] }, 'skill_path_invalid'],
    [{ deletes: ['../a'] }, 'skill_path_invalid'],
    [{ deletes: ['.claude'] }, 'skill_path_not_found'],
  ] as [Parameters<typeof change>[0], string | null][])('cannot be changed by %j', (changes, code) => {
    if (code === null) expect(() => change(changes)).not.toThrow();
    else expect(() => change(changes)).toThrow(expect.objectContaining({ code }));
  });
});

describe('a path', () => {
  const long = 'x'.repeat(1024);
  const plain = ['a', 'a/b.md', '.hidden', 'a b/ü.md', '日本/語.md', long];
  const near = [
    '.gitignore',
    '.github/x',
    'a.git/b',
    'git',
    'console.md',
    'nul.txt',
    'com/x',
    'a~',
    'a/~b',
    '❤️.md',
    'نص.md',
  ];
  it.each([...plain, ...near])('may be %.20s', (path) => {
    expect(() => checkNewPath(path)).not.toThrow();
  });

  const outside = ['../a', 'a/../b', '..', 'a/..', '/a', '/etc/passwd', 'C:/a', 'c:a', './a', 'a/./b', '.'];
  const odd = ['', 'a//b', 'a/', '/', 'a\\b', '..\\a', 'a\0b', 'a\uFFFDb', 'a\nb', '\u007f', `${long}x`];
  const refused: unknown = expect.objectContaining({ code: 'skill_path_invalid', status: 400 });
  it.each([...outside, ...odd])('cannot be %j', (path) => {
    for (const check of [checkNewPath, checkAddress]) expect(() => check(path)).toThrow(refused as Error);
  });

  const ofGit = ['.git', '.git/config', 'a/.GIT/hooks/x', '.Git./x', '.git /x', 'git~1/x', 'a/GIT~12'];
  const devices = ['CON', 'a/nul', 'com1', 'LPT9', 'a/prn/b', 'COM²', 'conin$'];
  const invisible = [
    'a\u202eb',
    'a\u2066',
    '\u200fa',
    'a\u200b.md',
    '\ufeffa',
    'a\u200d',
    'a\u00ad',
    'a\u061c',
    'a\u2028b',
  ];
  const edges = [
    '~',
    '~/x',
    '~root/x',
    ' ',
    'a/ /b',
    ' a',
    'a /b',
    'a./b',
    'a/b.',
    '...',
    'a/\u00a0b',
    'a:b',
    'a/b::$DATA',
  ];
  it.each([...ofGit, ...devices, ...invisible, ...edges])('cannot be %j for a new file', (path) => {
    expect(() => checkNewPath(path)).toThrow(refused as Error);
  });

  const taken: unknown = expect.objectContaining({ code: 'skill_path_taken' });
  const twice = [
    ['a', 'A'],
    ['\u00e4', 'a\u0308'],
    ['Ä/b', 'ä'],
    ['a/B', 'A/b'],
  ];
  it.each([[['a', 'a']], [['a', 'a/b']], [['a/b/c', 'x', 'a/b']], ...twice.map((paths) => [paths])])(
    'is there once: %j',
    (paths) => {
      expect(() => checkDistinct(paths)).toThrow(taken as Error);
    },
  );

  it('may differ from another one only in letter case if both existed before', () => {
    for (const paths of twice) {
      expect(() => checkDistinct(paths, new Set(paths))).not.toThrow();
      expect(() => checkDistinct(paths, new Set(paths.slice(1)))).toThrow(taken as Error);
    }
  });

  it('may start like another one, and may have the name of a property of all objects', () => {
    expect(() => checkDistinct(['a', 'ab', 'a.b/c', 'b/a', '__proto__', 'constructor/x'])).not.toThrow();
  });
});
