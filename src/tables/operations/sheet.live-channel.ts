import { DataSource, In, IsNull } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { LiveChannel, type LiveChannelPlugin, type LiveMessage, type LiveTopic } from '../../live/index.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { findTableSheet } from '../sheets/lock-sheet.js';

const KIND = 'smart_sheets';
/** A limit that people do not reach in one sheet. */
const MOST_EXECUTIONS = 100;

export function topicOf({ workspaceId, sheetId }: { workspaceId: number; sheetId: string }): LiveTopic {
  return { workspaceId, kind: KIND, params: [sheetId] };
}

/**
 * The channel of a sheet, with the progress of the executions over it. It reads the same rows as the routes of
 * operations.
 */
@LiveChannel({
  name: KIND,
  pattern: /^smart_sheets:smart_sheet#([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i,
  example: 'smart_sheets:smart_sheet#{sheet_id}',
})
export class SheetLiveChannel implements LiveChannelPlugin {
  constructor(private readonly db: DataSource) {}

  async allows({ workspaceId }: Caller, [sheetId]: string[]): Promise<boolean> {
    return (await findTableSheet(this.db.manager, workspaceId, sheetId!)) !== null;
  }

  async read({ workspaceId, params: [sheetId] }: LiveTopic, parts: string[]): Promise<LiveMessage[]> {
    const where = { workspaceId, sheetId, id: In(parts) };
    return (await this.db.manager.find(Execution, { where, order: { createdAt: 'ASC' } })).map(toMessage);
  }

  async readFirst(topic: LiveTopic, recent: string[]): Promise<LiveMessage[]> {
    const { workspaceId, params } = topic;
    const where = { workspaceId, sheetId: params[0], finishedAt: IsNull() };
    const running = await this.db.manager.find(Execution, { select: { id: true }, where, take: MOST_EXECUTIONS });
    return this.read(topic, [...new Set([...recent, ...running.map(({ id }) => id)])]);
  }
}

function toMessage({ id, status, completedCount, failedCount, cellCount }: Execution): LiveMessage {
  return {
    message_name: 'SMART_TABLE_EXECUTION_STATUS_UPDATE',
    data: { execution_id: id, status, completed: completedCount, failed: failedCount, total: cellCount },
  };
}
