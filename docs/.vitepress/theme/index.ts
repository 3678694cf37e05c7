/// <reference types="vitepress/client" />
// Without the theme's font: the reader's own need no request.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
