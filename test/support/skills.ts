import { zipSync } from 'fflate';
import type { Answer, Client } from './client.js';

export const SKILLS = '/api/public/v2/skill-collections';

export interface Collection {
  id: string;
  name: string;
  root_path: string;
  provider: string | null;
  description: string | null;
  folder_id: number | null;
  created_at: string;
  updated_at: string;
}

export interface Version {
  id: string;
  number: number;
  file_paths: string[];
  provider: string | null;
  release_label: string | null;
  commit_message: string | null;
  root_path_at_version: string;
}

export interface Created {
  skill_collection: Collection;
  version: Version | null;
}

export interface Pulled extends Created {
  files: Record<string, string>;
}

export const skillUrl = (identifier: string) => `${SKILLS}/${encodeURIComponent(identifier)}`;
export const filesOf = (files: Record<string, string>) =>
  Object.entries(files).map(([path, content]) => ({ path, content }));

export async function createSkills(me: Client, name: string, files: Record<string, string> = {}, rest: object = {}) {
  return (await me.post(SKILLS, { name, files: filesOf(files), ...rest }, 201)) as Created;
}

export async function saveSkills(me: Client, identifier: string, body: object): Promise<Version> {
  return ((await me.post(`${skillUrl(identifier)}/versions`, body, 201)) as { version: Version }).version;
}

export async function pullSkills(me: Client, identifier: string, query = ''): Promise<Pulled> {
  return (await me.get(skillUrl(identifier) + query)) as Pulled;
}

export async function pullZip(me: Client, identifier: string, query = ''): Promise<Buffer> {
  const { bytes, status, headers } = await me.request('GET', `${skillUrl(identifier)}?format=zip${query}`);
  if (status !== 200 || headers['content-type'] !== 'application/zip') throw new Error(`No archive came: ${status}.`);
  return bytes;
}

/** An archive of the same bytes for the same files, whenever it is made. */
export function zipOf(files: Record<string, string | Uint8Array>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
  return Buffer.from(zipSync(Object.fromEntries(entries), { mtime: '2026-01-01T00:00:00' }));
}

const BOUNDARY = 'a-boundary-7d1';

export interface Part {
  name: string;
  content: string | Uint8Array;
  /** Only for files. */
  filename?: string;
}

/** A form as clients write it. */
export function formOf(parts: Part[]): Buffer {
  const pieces = parts.flatMap(({ name, content, filename }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/zip`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

export function sendForm(me: Client, url: string, form: Part[] | Buffer): Promise<Answer> {
  const body = Buffer.isBuffer(form) ? form : formOf(form);
  return me.with({ 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }).request('POST', url, body);
}

/** Sends an archive together with JSON, like the Python client does. */
export function sendZip(me: Client, url: string, archive: Uint8Array, json: object = {}): Promise<Answer> {
  return sendForm(me, url, [
    { name: 'metadata', content: JSON.stringify(json) },
    { name: 'zip', content: archive, filename: 'skills.zip' },
  ]);
}
