export type FileFormat = 'csv' | 'json';

/** A part of a file: whole records that are read and written together. */
export type FilePart = {
  /** The number of its first row. */
  row: number;
  /** Its range of bytes. */
  start: number;
  end: number;
};

export type FilePlan = {
  rowCount: number;
  parts: FilePart[];
};

/** Limits of a part: the first one reached ends it. A single row may be larger. */
const PART = { rows: 2000, bytes: 2 * 1024 * 1024, cells: 50_000 };
/** Number of rows between possible starts of parts. Parts are merged for few columns, but not for many. */
const GRAIN = Math.floor(PART.cells / 999);

/** Splits a file into parts while its records are parsed. The number of columns may become known at the end. */
export class FileSteps {
  private readonly grains: FilePart[] = [];
  private rows = 0;

  add(start: number, end: number): void {
    const grain = this.grains.at(-1);
    if (!grain || this.rows - grain.row >= GRAIN || end - grain.start > PART.bytes) {
      this.grains.push({ row: this.rows, start, end });
    } else {
      grain.end = end;
    }
    this.rows++;
  }

  get rowCount(): number {
    return this.rows;
  }

  plan(columns: number): FilePlan {
    const mostRows = Math.max(GRAIN, Math.min(PART.rows, Math.floor(PART.cells / columns)));
    const parts: FilePart[] = [];
    this.grains.forEach((grain, index) => {
      const part = parts.at(-1);
      const nextRow = this.grains[index + 1]?.row ?? this.rows;
      const fits = part && nextRow - part.row <= mostRows && grain.end - part.start <= PART.bytes;
      if (fits) part.end = grain.end;
      else parts.push({ ...grain });
    });
    return { rowCount: this.rows, parts };
  }
}
