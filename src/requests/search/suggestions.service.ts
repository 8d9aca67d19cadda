import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { withinTime } from '../../platform/database/within-time.js';
import { readPromptNames } from '../../prompts/index.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { requestConditions } from './all-matches.js';
import {
  type ColumnField,
  countPrompts,
  type LogsOfWorkspace,
  MOST_SUGGESTIONS,
  suggestValues,
} from './suggestions.queries.js';

export interface SuggestionRequest {
  field: ColumnField | 'prompt_id' | 'prompt';
  prefix: string;
  /** Key of the metadata, for fields that suggest the values at a key. */
  key: string | null;
  /** Restricts suggestions of prompts to this one. */
  promptId: number | null;
  filterGroup: unknown;
}

@Injectable()
export class SuggestionsService {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Most frequent first, then alphabetical. Throws what the filter grammar throws, and reading_timeout. */
  suggest({ workspaceId }: Caller, { field, filterGroup, ...request }: SuggestionRequest): Promise<string[]> {
    return withinTime(this.config, async () => {
      const parameters = new SqlParameters();
      const condition = await requestConditions(this.db.manager, workspaceId, { filterGroup }, parameters);
      const match = { workspaceId, condition, values: parameters.values };
      if (field === 'prompt') return this.suggestNames(match, request);
      if (field === 'prompt_id') return this.suggestIds(match, request);
      return suggestValues(this.db.manager, match, { field, ...request });
    });
  }

  private async suggestNames(match: LogsOfWorkspace, { prefix, promptId }: PromptRequest): Promise<string[]> {
    const prompts = await this.readPrompts(match);
    const wanted = prompts.filter(({ id, name }) => (promptId === null || id === promptId) && begins(name, prefix));
    // A deleted prompt and its successor may share a name.
    const counts = new Map<string, number>();
    for (const { name, count } of wanted) counts.set(name, (counts.get(name) ?? 0) + count);
    return mostFrequent([...counts].map(([value, count]) => ({ value, count })));
  }

  private async suggestIds(match: LogsOfWorkspace, { prefix }: PromptRequest): Promise<string[]> {
    const prompts = await this.readPrompts(match);
    const wanted = prompts.filter(({ id, name }) => begins(String(id), prefix) || begins(name, prefix));
    return mostFrequent(wanted.map(({ id, count }) => ({ value: String(id), count })));
  }

  private async readPrompts(match: LogsOfWorkspace): Promise<{ id: number; name: string; count: number }[]> {
    const counted = await countPrompts(this.db.manager, match);
    const ids = counted.map(({ id }) => id);
    const names = await readPromptNames(this.db.manager, match.workspaceId, ids);
    return counted.flatMap(({ id, count }) => (names.has(id) ? [{ id, count, name: names.get(id)! }] : []));
  }
}

type PromptRequest = Pick<SuggestionRequest, 'prefix' | 'promptId'>;

function begins(text: string, prefix: string): boolean {
  return text.toLowerCase().startsWith(prefix.toLowerCase());
}

function mostFrequent(suggestions: { value: string; count: number }[]): string[] {
  const ordered = suggestions.toSorted((a, b) => b.count - a.count || alphabetically(a.value, b.value));
  return ordered.slice(0, MOST_SUGGESTIONS).map(({ value }) => value);
}

/** Sorts like the database sorts values of other fields: letter case only decides between equal ones. */
function alphabetically(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left !== right) return left < right ? -1 : 1;
  return a < b ? -1 : 1;
}
