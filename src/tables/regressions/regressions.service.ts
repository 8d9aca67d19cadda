import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../../access/index.js';
import { Statement } from '../../platform/database/statement.js';
import { type CreatedPage, readCreated } from '../../platform/http/created-list.js';
import type { ListOrder } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { SheetVersion } from '../../grid/shared/sheet-version.entity.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type GivenRegression, readRequest } from './regression-request.js';
import type { RegressionView } from './regression-view.js';
import { Regression } from './regression.entity.js';
import { RegressionErrors } from './regressions.errors.js';
import type { RegressionPath } from './regressions.dto.js';
import { ScratchSheets } from './scratch-sheets.js';
import { COST_WITH_COPY, readSpending } from './search-costs.js';

const ACTIVE = In(['queued', 'running']);

const CANCEL = new Statement<{ scratchSheetId: string | null }>(`
  UPDATE regressions r SET status = 'cancelled', claim = NULL, completed_at = now(), baseline = NULL, scratch_sheet_id = NULL,
         scratch_version = NULL, cost = ${COST_WITH_COPY}, scratch_execution_id = NULL
    FROM (SELECT id, cost, scratch_sheet_id, scratch_execution_id FROM regressions
           WHERE workspace_id = $1 AND id = $2 AND status IN ('queued', 'running') FOR UPDATE) before
   WHERE r.workspace_id = $1 AND r.id = before.id RETURNING before.scratch_sheet_id AS "scratchSheetId"`);

/** Finds the first version at which a score fell. */
@Injectable()
@FindsInPath({ name: 'regression_id', ids: { table_id: 'uuid', sheet_id: 'uuid', regression_id: 'uuid' } })
export class RegressionsService implements PathLookup<RegressionPath> {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly scratch: ScratchSheets,
    @InjectNotifier('regressions') private readonly workers: WorkNotifier,
  ) {}

  /** Starts a search. Throws version_not_found, the errors of `readRequest`, and regression_running. */
  async start(caller: Caller, path: SheetPath, given: GivenRegression): Promise<RegressionView> {
    const view = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const { workspaceId, id: sheetId } = sheet;
      const active = await tx.findOneBy(Regression, { workspaceId, sheetId, status: ACTIVE });
      if (active) throw RegressionErrors.regression_running(active.id);
      const request = await readRequest(tx, this.types, sheet, given);
      const id = randomUUID();
      const { maxCost } = given;
      await tx.insert(Regression, { workspaceId, id, sheetId, status: 'queued', request: request as object, maxCost });
      return this.read(tx, sheet, id);
    });
    this.workers.notify();
    return view;
  }

  /** Up to `limit + 1` searches of a sheet: the extra one shows that there are more. */
  async list(caller: Caller, path: SheetPath, page: CreatedPage): Promise<RegressionView[]> {
    const { manager } = this.db;
    const sheet = await getSheet(manager, addressOf(caller, path));
    const { filters } = regressionOrder(path, page.order);
    const { workspaceId, id: sheetId } = sheet;
    return this.view(
      manager,
      sheet,
      await readCreated(manager, Regression, { workspaceId, sheetId }, { ...page, filters }),
    );
  }

  /** Throws regression_not_found. */
  async get(caller: Caller, path: SheetPath, id: string): Promise<RegressionView> {
    return this.read(this.db.manager, await getSheet(this.db.manager, addressOf(caller, path)), id);
  }

  findInPath(caller: Caller, path: RegressionPath): Promise<RegressionView> {
    return this.get(caller, path, path.regression_id);
  }

  /** Ends a search; one that has ended stays as it is. Throws regression_not_found. */
  async cancel(caller: Caller, path: SheetPath, id: string): Promise<RegressionView> {
    const view = await this.db.transaction(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const { regression } = await this.read(tx, sheet, id);
      const [cancelled] = await CANCEL.run(tx, [caller.workspaceId, regression.id]);
      if (cancelled?.scratchSheetId) await this.scratch.delete(tx, caller.workspaceId, cancelled.scratchSheetId);
      const details = { sheet_id: sheet.id };
      if (cancelled) await audit(tx, caller, { action: 'regression.cancel', entityId: regression.id, details });
      return this.read(tx, sheet, id);
    });
    this.scratch.notifyDeleted();
    return view;
  }

  private async read(tx: EntityManager, sheet: Sheet, id: string): Promise<RegressionView> {
    const { workspaceId, id: sheetId } = sheet;
    const regression = await tx.findOneBy(Regression, { workspaceId, sheetId, id: id.toLowerCase() });
    if (!regression) throw RegressionErrors.regression_not_found(id);
    return (await this.view(tx, sheet, [regression]))[0]!;
  }

  /** Adds the versions that searches have scored, and the current cost. */
  private async view(tx: EntityManager, sheet: Sheet, regressions: Regression[]): Promise<RegressionView[]> {
    const { workspaceId, id: sheetId } = sheet;
    const ofSheet = regressions.filter(({ request }) => !request.prompt);
    const numbers = new Set(ofSheet.flatMap(({ steps }) => steps.map(({ version }) => version)));
    const versions = await tx.find(SheetVersion, {
      where: { workspaceId, sheetId, number: In([...numbers]) },
      select: { workspaceId: true, sheetId: true, id: true, number: true },
    });
    const views: RegressionView[] = [];
    for (const regression of regressions) {
      // Only one search of a sheet computes at a time, so this runs once.
      const { cost } = await readSpending(tx, regression);
      const own = regression.request.prompt ? [] : versions;
      views.push({ sheet, regression, versions: own, cost: regression.cost + cost });
    }
    return views;
  }
}

export function regressionOrder({ sheet_id }: SheetPath, order: Order): ListOrder {
  return { sort: 'created_at', order, filters: { sheet_id } };
}
