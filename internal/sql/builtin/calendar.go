package builtin

import "github.com/txrobust/robust/internal/sql/value"

// add adds an interval to a timestamp: months first, then days, then time. A day
// that its month does not have becomes the last one.
func addInterval(us int64, i value.Interval) (int64, error) {
	if value.Infinite(us) {
		return us, nil
	}
	var err error
	if i.Months != 0 {
		m := value.MomentOf(us)
		years, month := value.FloorDiv(m.Month-1+i.Months, value.MonthsOfYear)
		m.Year, m.Month = m.Year+years, month+1
		m.Day = min(m.Day, value.DaysIn(m.Year, m.Month))
		if us, err = value.Stamp(m.Days(), m.Clock); err != nil {
			return 0, err
		}
	}
	days, clock := value.FloorDiv(us, value.Day)
	if days += i.Days; i.Days != 0 {
		if _, err = value.Stamp(days, clock); err != nil {
			return 0, err
		}
	}
	more, rest := value.FloorDiv(i.Micros, value.Day)
	return value.Stamp(days+more, clock+rest)
}

// commonYear is the year as people count: there is no year 0.
func commonYear(year int64) int64 {
	if year <= 0 {
		return year - 1
	}
	return year
}

// century and its like count periods of n years from year 1.
func period(year, n int64) int64 {
	if year > 0 {
		return (year + n - 1) / n
	}
	return -((n - 1 - (year - 1)) / n)
}

// decade counts the decades; those before year 0 begin a year later.
func decade(year int64) int64 {
	if year >= 0 {
		return year / 10
	}
	return -((8 - (year - 1)) / 10)
}
