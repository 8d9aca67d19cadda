// `npm run changelog`: writes CHANGELOG.md from the commits. A version begins with the commit that names it in package.json.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { sectionOf } from './lib/changelog.mjs';

const HEAD = `# Changelog

What each version has brought, by part of the server. Written by \`npm run changelog\` from the commits.
`;

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
const lines = (text) => text.split('\n').filter(Boolean);

/** Versions with their first commits, the newest first. */
function versions() {
  const commits = lines(git('log', '--format=%H', '-G', '^  "version": "', '--', 'package.json'));
  return commits.map((commit) => ({ commit, version: JSON.parse(git('show', `${commit}:package.json`)).version }));
}

/** The commits of a version: all up to the one that begins the next, that were not in the one before. */
function releaseOf({ version, commit }, next, isFirst) {
  const end = next ? `${next.commit}^` : 'HEAD';
  const range = isFirst ? [end] : [end, `^${commit}^`];
  const subjects = lines(git('log', '--no-merges', '--reverse', '--format=%s', ...range));
  const date = git('log', '-1', '--format=%cs', end).trim();
  return { version, date, subjects };
}

const found = versions();
const sections = found.map((one, index) => sectionOf(releaseOf(one, found[index - 1], index === found.length - 1)));
writeFileSync('CHANGELOG.md', `${[HEAD, ...sections].join('\n').trimEnd()}\n`);
