import type { Client } from '@fish-crab/sdk'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { PageContext } from '../data/follow.ts'

/** The parts of a page that tests replace. */
export interface Services {
  readonly client: Client
  readonly context: PageContext
}

export const ServicesContext = createContext<Services | undefined>(undefined)

/** The services of the page. Throws outside of a page. */
export function useServices(): Services {
  const services = useContext(ServicesContext)
  if (!services) throw new Error('no services')
  return services
}
