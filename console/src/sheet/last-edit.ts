import { api } from '../api/client';
import { SHEET, type SheetPath } from './sheet-data';

/** The last edit of this page: only that one is undone. */
export class LastEdit {
  private write = 0;
  /** Ascending. A write of several requests has several versions. */
  private versions: number[] = [];

  add(write: number, version: number): void {
    if (write < this.write) return;
    if (write > this.write) this.versions = [];
    this.write = write;
    this.versions.push(version);
  }

  /** Restores the version before the edit, unless somebody else has changed the sheet since. */
  async undo(path: SheetPath): Promise<void> {
    const { versions } = this;
    if (versions.length === 0) throw new Error('There is no edit of yours to undo.');
    const { data } = await api(`GET ${SHEET}/versions`, { path, query: { limit: versions.length + 1 } });
    const before = data[versions.length];
    const isNewest = versions.toReversed().every((version, at) => data[at]?.version_number === version);
    if (!isNewest || !before) {
      throw new Error(
        'The sheet has changed since your last edit. Restore a version from the list of versions instead.',
      );
    }
    await api(`POST ${SHEET}/versions`, { path, body: { source_version_id: before.id } });
    this.versions = [];
  }
}
