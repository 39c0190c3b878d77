/** A table; on a narrow screen each of its rows is a card, whose fields are named. */
import type { ComponentChildren, VNode } from 'preact';

/** A column. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** A row: as many cells as there are columns. */
export interface SheetRow {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
}

/** The table. Its parts have roles, because browsers forget what a table is when its cells become blocks. */
export function Sheet(props: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly SheetRow[];
}): VNode {
  const { label, columns, rows } = props;
  return (
    <table class="sheet" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isNumber }) => (
            <th key={title} role="columnheader" scope="col" class={isNumber ? 'number' : ''}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(({ key, cells }) => (
          <tr key={key} role="row">
            {columns.map(({ title, isNumber }, index) => (
              <td key={title} role="cell" data-title={title} class={isNumber ? 'number' : ''}>
                <div>{cells[index]}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
