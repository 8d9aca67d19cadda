import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import type { JsonObject } from '../../platform/json.js';
import { requirePromptVersion } from '../../prompts/index.js';
import { readGroups } from '../shared/groups.queries.js';
import { toMetadata } from '../../llm/records/metadata.js';
import { mergeMetadata } from './merge-metadata.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { LogAdditions } from './log-additions.js';
import { DEFAULT_SCORE } from '../../llm/records/logged-call.js';
import { trackScore } from './scores.queries.js';
import { lockLog, saveGroup, saveMetadata, savePrompt, saveTags } from './tracked-log.queries.js';
import { changeTags, checkTags, mergeTagChanges, type TagChanges } from './tags.js';
import { RequestGroup } from './tracking.entity.js';
import { TrackingErrors } from '../shared/tracking.errors.js';

/** The version of a prompt in the form that a client names it. */
export interface NamedPrompt {
  prompt_name: string;
  version?: number | null;
  label?: string | null;
  prompt_input_variables?: JsonObject | null;
}

/** Adds data of clients to a log after the call. They survive a re-delivery of the span from which the log was made. */
@Injectable()
export class TrackingService {
  constructor(
    private readonly db: DataSource,
    private readonly additions: LogAdditions,
  ) {}

  /** Throws request_not_found, permission_missing and request_metadata_excessive. */
  async addMetadata(caller: Caller, id: number, given: JsonObject): Promise<void> {
    const metadata = toMetadata(given);
    await this.db.transaction(async (tx) => {
      const log = await lockLog(tx, caller.workspaceId, id);
      demand(caller, 'METADATA_EDIT');
      if (Object.keys(metadata).length === 0) return;
      const added = mergeMetadata(log.tracked?.metadata, metadata);
      await saveMetadata(tx, log, { ...log.metadata, ...metadata }, added);
      await this.additions.announce(tx, log);
    });
  }

  /** Returns the tags of the log. Throws request_not_found, permission_missing and request_tags_excessive. */
  async changeTags(caller: Caller, id: number, changes: TagChanges): Promise<string[]> {
    return this.db.transaction(async (tx) => {
      const log = await lockLog(tx, caller.workspaceId, id);
      demand(caller, 'METADATA_EDIT');
      const tags = changeTags(log.tags, mergeTagChanges(undefined, changes));
      const all = mergeTagChanges(log.tracked?.tags, changes);
      checkTags(tags, all);
      await saveTags(tx, log, tags, all);
      await this.additions.announce(tx, log);
      return tags;
    });
  }

  /** Replaces a score of the same name. Throws request_not_found. */
  async score(caller: Caller, id: number, { name, score }: { name?: string | null; score: number }): Promise<void> {
    const { workspaceId } = caller;
    await this.db.transaction(async (tx) => {
      await lockLog(tx, workspaceId, id);
      await sendTogether(tx, [trackScore({ workspaceId, logId: id, name: name ?? DEFAULT_SCORE, score })]);
    });
  }

  /** Throws request_not_found, prompt_version_ambiguous and what `requirePromptVersion` throws. */
  async linkPrompt(caller: Caller, id: number, named: NamedPrompt): Promise<void> {
    const { prompt_name: name, version = null, label = null, prompt_input_variables: variables = null } = named;
    if (version !== null && label !== null) throw TrackingErrors.prompt_version_ambiguous();
    const { workspaceId } = caller;
    await this.db.transaction(async (tx) => {
      const log = await lockLog(tx, workspaceId, id);
      const link = await requirePromptVersion(tx, workspaceId, { id: null, name, version, label });
      await savePrompt(tx, log, link, variables);
      await this.additions.announce(tx, log);
    });
  }

  /** Throws request_not_found and request_group_not_found. */
  async joinGroup({ workspaceId }: Caller, id: number, groupId: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      const log = await lockLog(tx, workspaceId, id);
      const known = await readGroups(tx, [{ workspaceId, groupId }]);
      if (known.size === 0) throw TrackingErrors.request_group_not_found(groupId);
      await saveGroup(tx, log, groupId);
    });
  }

  async createGroup({ workspaceId }: Caller): Promise<number> {
    const { identifiers } = await this.db.manager.insert(RequestGroup, { workspaceId });
    return (identifiers[0] as { id: number }).id;
  }
}
