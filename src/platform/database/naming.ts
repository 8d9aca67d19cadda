import { DefaultNamingStrategy, type Table } from 'typeorm';

/** Names primary keys as PostgreSQL does. */
export class Naming extends DefaultNamingStrategy {
  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }
}
