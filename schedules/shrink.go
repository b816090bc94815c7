package schedules

func (s *search) shrink(f *found) {}
