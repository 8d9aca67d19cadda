import { until } from './until.js';

export interface SheetRef {
  id: string;
  tableId: string;
  /** The path of the sheet's endpoints. */
  path: string;
}

interface StatusCounts {
  total_cells: number;
  status_counts: Record<'STALE' | 'QUEUED' | 'DISPATCHED' | 'RUNNING' | 'COMPLETED' | 'FAILED', number>;
}

/** Talks to a running server over HTTP, as a client of the product would. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The answer whatever it is. Rejects only when there is no answer. */
  send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        'x-api-key': this.apiKey,
        ...this.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('POST', path, body);
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('PATCH', path, body);
  }

  async createSheet(title: string): Promise<SheetRef> {
    const created = await this.post<{ table: { id: string }; default_sheet: { id: string } }>('/api/public/v2/tables', {
      title,
    });
    const { id: tableId } = created.table;
    const { id } = created.default_sheet;
    return { id, tableId, path: `/api/public/v2/tables/${tableId}/sheets/${id}` };
  }

  /** Numbers of cells in computed columns: completed ones and all. */
  async progress(sheet: SheetRef): Promise<{ completed: number; total: number }> {
    const counts = await this.get<StatusCounts>(`${sheet.path}/status-counts`);
    return { completed: counts.status_counts.COMPLETED, total: counts.total_cells };
  }

  untilComputed(sheet: SheetRef): Promise<void> {
    return until(async () => {
      const { completed, total } = await this.progress(sheet);
      return completed === total;
    });
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }
}
