import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MACHINE = pathToFileURL(path.resolve(import.meta.dirname, '../../scripts/lib/machine.mjs')).href;

/** Fake apt-get that works like on Debian: installed packages are downloaded only with --reinstall. */
const APT = `#!/bin/sh
for word; do
  case $word in
    Dir::Cache=*) archives=\${word#Dir::Cache=}/archives ;;
    --reinstall) again=yes ;;
    redis-tools) tools=yes ;;
    --download-only) download=yes ;;
  esac
done
[ -z "$download" ] && exit 0
echo "$$" >> "$LOG"
: > "$archives/redis-server.deb"
[ "$again$tools" = yesyes ] && : > "$archives/redis-tools.deb"
exit 0
`;
/** The program lies in one package, and that of the server links to it. */
const DPKG = `#!/bin/sh
mkdir -p "$3/usr/bin"
case $2 in
  *redis-server.deb) ln -s redis-check-rdb "$3/usr/bin/redis-server" ;;
  *) ln -s "$REAL" "$3/usr/bin/redis-check-rdb" ;;
esac
`;

let home: string;
let programs: string;
let log: string;

/** A machine with redis-cli and without redis-server. */
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-redis-'));
  programs = path.join(home, 'programs');
  log = path.join(home, 'log');
  mkdirSync(programs);
  for (const program of ['sh', 'dirname', 'mkdir', 'ln']) symlinkSync(find(program)!, path.join(programs, program));
  for (const [name, script] of Object.entries({ 'apt-get': APT, dpkg: DPKG, 'redis-cli': '#!/bin/sh\n' })) {
    writeFileSync(path.join(programs, name), script);
    chmodSync(path.join(programs, name), 0o755);
  }
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function find(...names: string[]): string | undefined {
  const folders = process.env.PATH!.split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}

/** Prepares Redis as a start without root does, and says what its program then says. */
async function prepare(): Promise<{ output: string; code: number | null }> {
  const program = `
    import { spawnSync } from 'node:child_process';
    process.getuid = () => 1000;
    const { prepareRedis } = await import(${JSON.stringify(MACHINE)});
    await prepareRedis(${JSON.stringify(home)}, true);
    console.log(String(spawnSync('redis-server', ['--version']).stdout));`;
  const env = { PATH: programs, LOG: log, REAL: find('redis-server', 'valkey-server') };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { output, code };
}

const downloads = () => readFileSync(log, 'utf8').trim().split('\n').length;
const bin = () => path.join(home, '.data/bin');
const RUNS = { code: 0, output: expect.stringMatching(/server v=\d/) };

describe('without root, on a machine with redis-cli and no redis-server', () => {
  it('the server is unpacked with the package that its program lies in, once', async () => {
    expect(await prepare()).toEqual(RUNS);
    expect(await prepare()).toEqual(RUNS);
    expect(downloads()).toBe(1);
  });

  it.each(['redis-server-files', 'redis-server-files/usr/bin/redis-check-rdb'])(
    'it is unpacked again without %s',
    async (lost) => {
      await prepare();
      rmSync(path.join(bin(), lost), { recursive: true });
      expect(await prepare()).toEqual(RUNS);
      expect(downloads()).toBe(2);
    },
  );

  it('the files of an interrupted unpacking are removed', async () => {
    mkdirSync(path.join(bin(), 'redis-server-files.1.new/usr'), { recursive: true });
    expect(await prepare()).toEqual(RUNS);
    expect(readdirSync(bin()).toSorted()).toEqual(['redis-server', 'redis-server-files']);
  });

  it('two starts at once unpack it once', async () => {
    expect(await Promise.all([prepare(), prepare()])).toEqual([RUNS, RUNS]);
    expect(downloads()).toBe(1);
  });
});
