import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inSlices, streamJson } from '../../platform/http/json-stream.js';
import { attachment } from '../../platform/http/attachment.js';
import type { CollectionWithVersion } from '../collections/skill-collections.service.js';
import { exportedPath } from '../files/layouts.js';
import { type ReadFile, readContents } from '../files/skill-contents.js';
import { toSkillCollectionBody, toSkillVersionBody } from '../shared/skills.dto.js';
import { writeArchive } from './write-archive.js';

/** The files of a version as answers, which are made while they are sent. */
@Injectable()
export class SkillDownloads {
  constructor(private readonly db: DataSource) {}

  /** All that are texts, by the paths that readers see. */
  asJson({ collection, version }: CollectionWithVersion): StreamableFile {
    const head = {
      success: true,
      skill_collection: toSkillCollectionBody(collection),
      version: version && toSkillVersionBody(version),
    };
    const files = (version?.files ?? []).filter(({ isText }) => isText);
    const groups = readContents(this.db.manager, collection.workspaceId, files);
    return streamJson(jsonOf(head, groups, (path) => exportedPath(version!.provider, path)));
  }

  asZip({ collection, version }: CollectionWithVersion): StreamableFile {
    const groups = readContents(this.db.manager, collection.workspaceId, version?.files ?? []);
    const content = writeArchive(
      mapped(groups, ({ file, content: bytes }) => ({
        path: exportedPath(version!.provider, file.path),
        content: bytes,
      })),
      version?.createdAt ?? collection.createdAt,
    );
    const disposition = attachment(`${collection.rootPath}.zip`);
    return new StreamableFile(Readable.from(content, { objectMode: false }), { type: 'application/zip', disposition });
  }
}

async function* jsonOf(
  head: object,
  groups: AsyncIterable<ReadFile[]>,
  pathOf: (path: string) => string,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"files":{`;
  let separator = '';
  for await (const group of groups) {
    for (const { file, content } of group) {
      yield `${separator}${JSON.stringify(pathOf(file.path))}:`;
      yield* inSlices(JSON.stringify(content.toString('utf8')));
      separator = ',';
    }
  }
  yield '}}';
}

async function* mapped<T, R>(groups: AsyncIterable<T[]>, change: (item: T) => R): AsyncGenerator<R[]> {
  for await (const group of groups) yield group.map(change);
}
