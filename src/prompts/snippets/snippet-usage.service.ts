import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { assertOwnWorkspace } from '../../folders/index.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import type { SnippetUsageQuery, SnippetUsageResponse } from '../registry/prompts.dto.js';
import { getVersion } from '../registry/prompts.queries.js';
import { RESOLVED } from './snippet-graph.js';

@Injectable()
export class SnippetUsageService {
  constructor(private readonly db: DataSource) {}

  /** Reads the versions of prompts that refer to a snippet, and the labels that point to these versions. */
  async read(caller: Caller, identifier: string, query: SnippetUsageQuery): Promise<SnippetUsageResponse> {
    assertOwnWorkspace(caller, query.workspace_id, PromptErrors.prompt_workspace_forbidden);
    const { prompt } = await getVersion(this.db.manager, caller.workspaceId, identifier, {});
    const [usage] = await this.db.query<Usage[]>(USAGE, [
      caller.workspaceId,
      prompt.id,
      query.prompt_version_number ?? null,
    ]);
    return {
      success: true,
      message: `The snippet is used in ${usage.prompts.length} prompt(s).`,
      snippet_name: prompt.name,
      snippet_usage: usage.prompts,
      total_prompts_using_snippet: usage.prompts.length,
      label_usage: usage.labels,
      total_labels_using_snippet: usage.labels.length,
    };
  }
}

interface Usage {
  prompts: SnippetUsageResponse['snippet_usage'];
  labels: SnippetUsageResponse['label_usage'];
}

const USAGE = `
  WITH uses AS (
    SELECT DISTINCT importer.id, importer.name, s.version_number
      FROM prompt_snippets s
      JOIN prompts importer ON importer.workspace_id = $1 AND importer.id = s.prompt_id AND importer.deleted_at IS NULL
      JOIN prompts p ON p.workspace_id = $1 AND p.id = s.snippet_id
      LEFT JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = s.snippet_id AND l.name = s.snippet_label
     WHERE s.workspace_id = $1 AND s.snippet_id = $2 AND ($3::int IS NULL OR $3 = ${RESOLVED})
  ), prompts_using AS (
    SELECT id AS prompt_registry_id, name AS prompt_name, array_agg(version_number ORDER BY version_number) AS version_numbers
      FROM uses GROUP BY id, name ORDER BY name COLLATE "C"
  ), labels_using AS (
    SELECT u.id AS prompt_registry_id, u.name AS prompt_name, l.name AS label_name
      FROM uses u
      JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = u.id AND l.version_number = u.version_number
     ORDER BY u.name COLLATE "C", l.name COLLATE "C"
  )
  SELECT (SELECT coalesce(json_agg(p), '[]') FROM prompts_using p) AS prompts,
         (SELECT coalesce(json_agg(l), '[]') FROM labels_using l) AS labels`;
