import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runsAsRoot } from '../../src/embedded/account.js';
import { loadState, saveState } from '../../src/embedded/state.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-state-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = () => statSync(path.join(folder, 'state.json')).mode & 0o777;

describe('the launcher state', () => {
  it('gets its passwords and its key once and keeps them', () => {
    const first = loadState(folder);
    expect(first.postgresPassword).toMatch(/^[\w-]{32}$/);
    expect(first.redisPassword).not.toBe(first.postgresPassword);
    expect(Buffer.from(first.secretsKey, 'base64')).toHaveLength(32);
    expect(loadState(folder)).toEqual(first);
  });

  it('from a version without secrets gets a key and keeps everything else', () => {
    const { secretsKey: _, ...old } = loadState(folder);
    writeFileSync(path.join(folder, 'state.json'), JSON.stringify({ ...old, postgresPort: 5433 }));
    const state = loadState(folder);
    expect(state).toEqual({ ...old, postgresPort: 5433, secretsKey: expect.stringMatching(/^[\w+/]{43}=$/) });
    expect(loadState(folder)).toEqual(state);
  });

  it('is readable by its owner only, also after it was saved again', () => {
    const state = loadState(folder);
    expect(mode()).toBe(0o600);
    saveState(folder, { ...state, postgresPort: 5433 });
    expect(mode()).toBe(0o600);
    expect(loadState(folder)).toEqual({ ...state, postgresPort: 5433 });
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  it.runIf(runsAsRoot)('belongs to the owner of the folder, also when root saves it', () => {
    chownSync(folder, 12_345, 12_345);
    loadState(folder);
    expect(statSync(path.join(folder, 'state.json'))).toMatchObject({ uid: 12_345, gid: 12_345 });
  });

  it('refuses a damaged file instead of inventing new passwords', () => {
    writeFileSync(path.join(folder, 'state.json'), '{"postgresPassword":');
    expect(() => loadState(folder)).toThrow('cannot be read');
  });
});
