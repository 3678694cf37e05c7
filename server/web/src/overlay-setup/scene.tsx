const BLOCK = 20
const [COLUMNS, ROWS] = [48, 27]
const SEA_ROW = 14

type Block = readonly [column: number, row: number, width: number, height: number, colour: string]

const SKY: readonly Block[] = [
  [0, 0, COLUMNS, 5, '#7db8ea'],
  [0, 5, COLUMNS, 4, '#93c6ee'],
  [0, 9, COLUMNS, 5, '#b3d8f1'],
  [21, 2, 3, 3, '#fff6c8'],
  [22, 3, 1, 1, '#ffffff'],
]
const CLOUDS: readonly Block[] = [
  [7, 3, 8, 1, '#f5fafd'],
  [9, 2, 4, 1, '#ffffff'],
  [27, 5, 7, 1, '#f5fafd'],
  [29, 4, 4, 1, '#ffffff'],
  [40, 2, 6, 1, '#f5fafd'],
]
const SEA: readonly Block[] = [
  [0, SEA_ROW, COLUMNS, 2, '#4b93c4'],
  [0, SEA_ROW + 2, COLUMNS, 4, '#387fb2'],
  [0, SEA_ROW + 6, COLUMNS, ROWS - SEA_ROW - 6, '#2a6a9b'],
]
const WAVES: readonly Block[] = [
  ...[2, 9, 17, 26, 45].map((column): Block => [column, SEA_ROW + 1, 3, 0.25, '#8cc3e6']),
  ...[5, 13, 22, 31, 38].map((column): Block => [column, SEA_ROW + 4, 4, 0.3, '#6aaad3']),
  ...[1, 10, 19, 28].map((column): Block => [column, SEA_ROW + 8, 5, 0.35, '#4a8fc0']),
]
const ISLAND: readonly Block[] = [
  [31, 13, 15, 1, '#e3d49b'],
  [30, 14, 17, 1, '#d3c186'],
  [33, 11, 11, 1, '#6cab47'],
  [33, 12, 11, 1, '#8a6242'],
  [36, 10, 7, 1, '#79b952'],
  [36, 11, 7, 1, '#79573a'],
  [34, 12, 1, 1, '#79573a'],
  [42, 12, 1, 1, '#9a9a9a'],
]
const TREE: readonly Block[] = [
  [39, 6, 1, 4, '#6b4a2b'],
  [37, 4, 5, 2, '#3f7f3a'],
  [38, 3, 3, 1, '#4c9145'],
  [37, 6, 1, 1, '#376f33'],
  [41, 6, 1, 1, '#376f33'],
  [40, 4, 1, 1, '#57a04f'],
]
const ROD: readonly Block[] = [
  ...Array.from({ length: 8 }, (_, step): Block => [41 - step, 23 - step, 1.4, 1.2, step < 3 ? '#5b3d22' : '#7b5530']),
  [42, 23, 3, 4, '#c99a76'],
  [44, 24, 4, 3, '#3b6f8f'],
]
const BOBBER: readonly Block[] = [
  [24.5, 18.5, 1, 0.5, '#f2f2f2'],
  [24.5, 18, 1, 0.5, '#d8362b'],
  [23, 19, 4, 0.25, '#9fd0ee'],
]
const HOTBAR: readonly Block[] = [
  [14.8, 25.2, 18.4, 1.7, '#2b2f33'],
  ...Array.from({ length: 9 }, (_, slot): Block => [15 + slot * 2.02, 25.35, 1.85, 1.4, '#6f767c']),
]

/** A picture of a game, as a background of the overlay. */
export function Scene() {
  const blocks = [SKY, CLOUDS, SEA, WAVES, ISLAND, TREE, BOBBER, ROD, HOTBAR].flat()
  return (
    <svg class="picture" viewBox={`0 0 ${COLUMNS * BLOCK} ${ROWS * BLOCK}`} aria-hidden="true" focusable="false">
      {blocks.map(([column, row, width, height, colour], index) => (
        <rect
          key={index}
          x={column * BLOCK}
          y={row * BLOCK}
          width={width * BLOCK}
          height={height * BLOCK}
          fill={colour}
          shape-rendering="crispEdges"
        />
      ))}
      <path d="M690 330 Q 600 400 500 362" fill="none" stroke="#e8eef2" stroke-width="2.5" />
    </svg>
  )
}
