import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runsAsRoot } from '../../src/embedded/account.js';
import { prepareDataFolder } from '../../src/embedded/data-folder.js';
import { testFolder } from '../support/services.js';

let folder: string;
let system: string;

beforeEach(() => {
  folder = testFolder();
  system = path.join(folder, 'system');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('where a service keeps its data', () => {
  it('is the folder itself when the service can reach it', () => {
    const wanted = path.join(folder, 'a', 'postgres');
    const prepared = prepareDataFolder(wanted, system);
    expect(prepared.path).toBe(wanted);
    expect(prepared.account === null).toBe(!runsAsRoot);
    expect(existsSync(system)).toBe(false);
  });

  it('is not looked for behind a link that leads nowhere', () => {
    const wanted = path.join(folder, 'postgres');
    symlinkSync(path.join(folder, 'gone'), wanted);
    expect(() => prepareDataFolder(wanted, system)).toThrow('links to a folder that is gone');
  });

  it.runIf(runsAsRoot)('lies below the system folder, behind a link, when only root can enter the checkout', () => {
    chmodSync(folder, 0o755);
    const closed = path.join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const wanted = path.join(closed, 'postgres');
    const first = prepareDataFolder(wanted, system);
    expect(first.path.startsWith(`${system}/data-`)).toBe(true);
    expect(lstatSync(wanted).isSymbolicLink()).toBe(true);
    expect(statSync(first.path)).toMatchObject({ uid: first.account!.uid });
    expect(prepareDataFolder(wanted, system)).toEqual(first);
  });

  it.runIf(runsAsRoot)('stays with the user who made it when root starts the product later', () => {
    const wanted = path.join(folder, 'postgres');
    mkdirSync(wanted, { mode: 0o700 });
    chownSync(wanted, 12_345, 12_345);
    expect(prepareDataFolder(wanted, system).account).toMatchObject({ uid: 12_345, gid: 12_345 });
  });

  it.runIf(runsAsRoot)('is refused with a sentence when its owner cannot get there any more', () => {
    const closed = path.join(folder, 'closed');
    const wanted = path.join(closed, 'postgres');
    mkdirSync(wanted, { recursive: true });
    chownSync(wanted, 12_345, 12_345);
    chmodSync(closed, 0o700);
    expect(() => prepareDataFolder(wanted, system)).toThrow(
      `user 12345, which runs the service, cannot enter ${wanted}`,
    );
  });
});
