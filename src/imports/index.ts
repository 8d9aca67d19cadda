export { checkColumnCount, fitsTitle, MAX_TITLE_LENGTH } from './headers.js';
export { insertTextColumns, matchColumns } from './import-columns.js';
export { type ImportFile, openFile, type SentFile, toFileImport } from './import-file.js';
export {
  IMPORT_SOURCES,
  IMPORT_STATUSES,
  ImportOperation,
  type ImportSource,
  type ImportStatus,
} from './import-operation.entity.js';
export { ImportStarter } from './import-starter.js';
export { failImport, prepareImport } from './import-steps.js';
export {
  type CopyingImporter,
  ImportFailure,
  type Importer,
  type ImportPlan,
  ImportsFrom,
  type ImportTarget,
} from './importer.js';
export { FILE_ERRORS, ImportErrors, LOG_ERRORS, REFUSED_FILES } from './imports.errors.js';
export { LogRows, type NamedColumns } from './log-rows.js';
export { isRequestLogField, REQUEST_LOG_FIELDS } from './request-log-fields.js';
export {
  MAX_IMPORTED_LOGS,
  type RequestLogImport,
  titlesOf,
  toDatasetImport,
  toRequestLogImport,
} from './request-log-import.js';
export { isScaffold } from './scaffold.js';
export { findCreation, findStarted, type NewImport, startImport } from './start-import.js';
export { type Starter, starterOf } from './starter.js';
