import type { ItemPage, ItemRange } from './types.ts'

/** The beginning of the keys right behind those of a base: `:` is followed by `;`. */
export function endOfBase(base: string): string {
  return `${base.slice(0, -1)};`
}

/** A page from one item more than it may hold: the surplus one says that there is a next page. */
export function pageOf(found: ItemPage['items'], limit: number): ItemPage {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return found.length > limit && last ? { items, next: last.key } : { items }
}

/** Items in memory whose keys stay in order, so that a page costs what it holds. */
export class OrderedItems {
  readonly #values = new Map<string, string>()
  readonly #keys: string[] = []

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: string): void {
    if (!this.#values.has(key)) this.#keys.splice(this.#place(key), 0, key)
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#place(key), 1)
  }

  /** Keys that begin with a base; all keys for an empty one. */
  keys(base: string): string[] {
    return base ? this.#keys.slice(this.#place(base), this.#place(endOfBase(base))) : [...this.#keys]
  }

  /** How many keys begin with a base. */
  count(base: string): number {
    return this.#place(endOfBase(base)) - this.#place(base)
  }

  page({ base, after = '', limit, contains = '' }: ItemRange): ItemPage {
    const found: { key: string; value: string }[] = []
    const end = endOfBase(base)
    let at = this.#place(after > base ? after : base)
    if (this.#keys[at] === after) at += 1
    for (; found.length <= limit; at += 1) {
      const key = this.#keys[at]
      if (key === undefined || key >= end) break
      if (key.includes(contains, base.length)) found.push({ key, value: this.#values.get(key) ?? '' })
    }
    return pageOf(found, limit)
  }

  /** Index of the first key that is not before the given one. */
  #place(key: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#keys[middle] ?? '') < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
