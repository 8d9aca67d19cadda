import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from './run.mjs';

/**
 * Gets a Debian package and what it needs that is not installed, without root, and unpacks them into `folder`. Those of `beside` are
 * unpacked as well when they are installed: the package may link to their files. The program of the package's name appears there when
 * everything is in place. apt checks the signatures as ever.
 * @throws Failure with what apt or dpkg said
 */
export async function unpackDebianPackage(name, folder, beside = []) {
  const work = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-packages-'));
  try {
    await download([name, ...beside], work);
    const files = path.join(folder, `${name}-files`);
    const draft = `${files}.${process.pid}.new`;
    removeDrafts(folder);
    mkdirSync(draft, { recursive: true });
    for (const archive of readdirSync(path.join(work, 'archives')).filter((file) => file.endsWith('.deb')))
      await run('dpkg', ['-x', path.join(work, 'archives', archive), draft]);
    rmSync(files, { recursive: true, force: true });
    renameSync(draft, files);
    writeStarter(name, folder, files);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** apt gets folders of its own to write to: only root may write to the system's. */
async function download(names, work) {
  for (const folder of ['archives/partial', 'lists/partial']) mkdirSync(path.join(work, folder), { recursive: true });
  const own = ['-o', `Dir::Cache=${work}`, '-o', `Dir::State::Lists=${work}/lists`, '-o', 'Debug::NoLocking=1'];
  await run('apt-get', ['-qq', ...own, 'update']);
  await run('apt-get', [
    '-qq',
    ...own,
    'install',
    '-y',
    '--no-install-recommends',
    '--reinstall',
    '--download-only',
    ...names,
  ]);
}

/** Removes the drafts that interrupted processes have left. */
function removeDrafts(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.new')))
    rmSync(path.join(folder, name), { recursive: true, force: true });
}

/** The libraries lie beside the program, where the system does not look for them. */
function writeStarter(name, folder, files) {
  const libraries = ['usr/lib', 'lib'].flatMap((parent) => [parent, ...foldersIn(files, parent)]);
  const script = `#!/bin/sh
here=$(dirname "$0")/${path.basename(files)}
LD_LIBRARY_PATH=${libraries.map((library) => `"$here/${library}"`).join(':')} exec "$here/usr/bin/${name}" "$@"
`;
  const draft = path.join(folder, `${name}.${process.pid}.new`);
  writeFileSync(draft, script, { mode: 0o755 });
  renameSync(draft, path.join(folder, name));
}

function foldersIn(files, parent) {
  const folder = path.join(files, parent);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(parent, entry.name));
}
