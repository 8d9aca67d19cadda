import { DataSource, In, IsNull } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { LiveChannel, type LiveChannelPlugin, type LiveMessage, type LiveTopic } from '../../live/index.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { findTableSheet } from '../sheets/lock-sheet.js';

const KIND = 'smart_sheets';
/** More are never computed in one sheet at the same time by people. */
const MOST_EXECUTIONS = 100;

export function topicOf({ workspaceId, sheetId }: { workspaceId: number; sheetId: string }): LiveTopic {
  return { workspaceId, kind: KIND, params: [sheetId] };
}

/** The channel of a sheet: how the executions over it go on. It tells what their operations tell, from the same rows. */
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
