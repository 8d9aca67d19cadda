import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { loadState } from '../../src/embedded/state.js';
import { testFolder } from '../support/services.js';
import { backupOf, keptReleases } from '../upgrades/releases.js';

const { version } = keptReleases().at(-1)!;

let folder: string;
beforeAll(() => {
  folder = testFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the SECRETS_KEY that restore is given', () => {
  const [key, previous, another] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));

  async function restore(dataDir: string, secretsKey: string): Promise<string> {
    let output = '';
    const say = (line: string) => void (output += `${line}\n`);
    const env = { DATA_DIR: dataDir, SECRETS_KEY: secretsKey, SECRETS_KEY_PREVIOUS: previous };
    try {
      await runAdminCommand(['restore', backupOf(version)], { env, say, readSecret: () => Promise.resolve('') });
    } catch (error) {
      output += `refused: ${describeFailure(error)}`;
    }
    return output;
  }

  it('is stored also when a first try failed, and not when the restore is refused', async () => {
    const dataDir = path.join(folder, 'restored');
    mkdirSync(dataDir);
    const link = path.join(dataDir, 'postgres');
    symlinkSync(path.join(folder, 'gone'), link);
    expect(await restore(dataDir, key!)).toContain('links to a folder that is gone');
    rmSync(link);

    expect(await restore(dataDir, key!)).toContain('every row is as it was');
    const kept = { secretsKey: key, previousSecretsKeys: [previous] };
    expect(loadState(dataDir)).toMatchObject(kept);
    expect(await restore(dataDir, another!)).toContain('refused: The database is not empty');
    expect(loadState(dataDir)).toMatchObject(kept);
  });
});
