#!/bin/sh
# Part of the Agent Skill in this folder; a CaSH server never serves it.
exec shopctl summary --since "$1" --groupby month --csv
