import { TextField, UuidField } from '../../platform/http/fields.js';

/** A sheet, and the table that it is in, as the rows of lists of a whole workspace name them. */
export interface SheetPlace {
  tableId: string;
  tableTitle: string;
  sheetId: string;
  sheetTitle: string;
}

export class SheetPlaceBody {
  @UuidField()
  table_id: string;

  @TextField()
  table_title: string;

  @UuidField()
  sheet_id: string;

  @TextField()
  sheet_title: string;
}

export function toSheetPlace(place: SheetPlace): SheetPlaceBody {
  return {
    table_id: place.tableId,
    table_title: place.tableTitle,
    sheet_id: place.sheetId,
    sheet_title: place.sheetTitle,
  };
}
