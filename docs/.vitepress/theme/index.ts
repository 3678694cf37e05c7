/// <reference types="vitepress/client" />
// This theme contains no fonts. The reader's system fonts need no request.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
